package chatcompletions

import (
	"encoding/json"
	"strconv"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

const (
	maxCalls     = 128
	maxIndex     = maxCalls - 1
	maxName      = 1 << 10 // bytes, as the following
	maxID        = 64 << 10
	maxArguments = 8 << 20 // of all calls together
)

// calls puts tool calls together from their pieces (contract P33). An index
// is a key, not a position; the order is that of first appearance. A piece
// that can't be attributed fails the attempt.
type calls struct {
	list    []*call
	byIndex map[int]*call
	size    int
}

type call struct {
	id, name string
	args     []byte
	repeats  int
	extra    json.RawMessage
}

// add takes one entry of a delta. It returns the code of what is wrong with
// it, "" if nothing is.
func (c *calls) add(d callDelta) string {
	args, ok := wire.Exact(d.Function.Arguments)
	if !ok {
		return upstream.CodeInvalidToolCallArguments
	}
	index, indexed, ok := readIndex(d.Index)
	if !ok {
		return upstream.CodeInvalidToolCallIndex
	}
	if d.ID == "" && d.Function.Name == "" && args == "" && wire.Absent(d.ExtraContent) {
		return ""
	}
	c.size += len(args)
	switch {
	case len(d.ID) > maxID || len(d.Function.Name) > maxName:
		return upstream.CodeEventTooLarge
	case c.size > maxArguments:
		return upstream.CodeStreamTooLarge
	case indexed:
		return c.addPiece(index, d, args)
	}
	return c.addWhole(d, args)
}

// addPiece takes an entry with an index.
func (c *calls) addPiece(index int, d callDelta, args string) string {
	cur := c.byIndex[index]
	if cur != nil && d.ID != "" && cur.id != "" && d.ID != cur.id {
		if d.Function.Name == "" {
			return upstream.CodeInvalidToolCallIndex
		}
		cur = nil // some proxies give every call the same index
	}
	if cur == nil {
		if cur = c.open(); cur == nil {
			return upstream.CodeTooManyToolCalls
		}
		if c.byIndex == nil {
			c.byIndex = make(map[int]*call)
		}
		c.byIndex[index] = cur
	}
	if d.Function.Name != "" && cur.name != "" {
		known := d.ID != "" && d.ID == cur.id
		if d.Function.Name != cur.name || !known && cur.repeated(args) {
			return upstream.CodeInvalidToolCallIndex
		}
	}
	cur.put(d, args)
	return ""
}

// maxRepeats bounds how often a call is compared with a repetition.
const maxRepeats = 1024

// repeated reports that a piece that names the call again looks like a whole
// call: one call sent twice, or two calls? Both look like this.
func (k *call) repeated(args string) bool {
	if !wire.IsObject([]byte(args)) {
		return false
	}
	k.repeats++
	return k.repeats > maxRepeats || wire.IsObject(k.args)
}

// addWhole takes an entry without an index, which is a call of its own or
// metadata for one that its id names.
func (c *calls) addWhole(d callDelta, args string) string {
	known := c.find(d.ID)
	if d.Function.Name == "" {
		if known == nil || args != "" || wire.Absent(d.ExtraContent) {
			return upstream.CodeInvalidToolCallIndex
		}
		known.put(d, "")
		return ""
	}
	if known != nil || args != "" && !wire.IsObject([]byte(args)) {
		return upstream.CodeInvalidToolCallIndex
	}
	cur := c.open()
	if cur == nil {
		return upstream.CodeTooManyToolCalls
	}
	cur.put(d, args)
	return ""
}

func (c *calls) open() *call {
	if len(c.list) == maxCalls {
		return nil
	}
	c.list = append(c.list, &call{})
	return c.list[len(c.list)-1]
}

func (c *calls) find(id string) *call {
	for _, known := range c.list {
		if id != "" && known.id == id {
			return known
		}
	}
	return nil
}

func (k *call) put(d callDelta, args string) {
	if k.id == "" {
		k.id = d.ID
	}
	if k.name == "" {
		k.name = d.Function.Name
	}
	k.args = append(k.args, args...)
	if !wire.Absent(d.ExtraContent) {
		k.extra = d.ExtraContent
	}
}

// check returns the code of what makes the finished calls unusable, "" if
// nothing does.
func (c *calls) check() string {
	seen := make(map[string]bool)
	for _, k := range c.list {
		switch {
		case k.name == "":
			return upstream.CodeMissingToolCallName
		case k.id != "" && seen[k.id]:
			return upstream.CodeDuplicateToolCallID
		case len(k.args) > 0 && !wire.IsObject(k.args):
			return upstream.CodeInvalidToolCallArguments
		}
		seen[k.id] = true
	}
	return ""
}

// export returns the calls with ids that may be shown. Those of a declared
// name are executable if the whole step is.
func (c *calls) export(executable bool, declared map[string]bool) []providers.ToolCall {
	var out []providers.ToolCall
	seen := make(map[string]bool)
	for _, k := range c.list {
		out = append(out, providers.ToolCall{
			ID: upstream.CallID(k.id, seen), Name: k.name, Arguments: string(k.args),
			Executable: executable && declared[k.name],
		})
	}
	return out
}

// readIndex reads the index of an entry. Null and -1 stand for none.
func readIndex(raw json.RawMessage) (index int, indexed, ok bool) {
	if wire.Absent(raw) || string(raw) == "-1" {
		return 0, false, true
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || raw[0] == '-' || n > maxIndex {
		return 0, false, false
	}
	return n, true, true
}
