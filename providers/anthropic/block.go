package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

const (
	maxBlocks    = 1 << 10
	maxCalls     = 128
	maxName      = 1 << 10 // bytes, as the following
	maxID        = 64 << 10
	maxArguments = 8 << 20 // of all blocks together
)

// blocks puts the blocks of an answer together from their pieces.
type blocks struct {
	list  []*block
	open  map[string]*block // by index, as it is written
	calls int
	size  int // of the arguments
}

type block struct {
	kind  string
	start json.RawMessage // as sent

	text      strings.Builder // of a text, or of thinking
	signature strings.Builder

	id, name string
	input    json.RawMessage // of the start
	args     []byte

	closed bool
	// partial says that pieces came that are not known, so that the block
	// can't be put together.
	partial bool
}

// begin opens a block. It returns the code of what is wrong with it, "" if
// nothing is.
func (bs *blocks) begin(index, raw json.RawMessage) (*block, string) {
	var s blockStart
	if !isIndex(index) || bs.open[string(index)] != nil || json.Unmarshal(raw, &s) != nil || s.Type == "" {
		return nil, upstream.CodeInvalidContentBlock
	}
	b := &block{kind: s.Type, start: bytes.Clone(raw), input: s.Input, id: s.ID.S, name: s.Name.S}
	if b.kind == kindCall {
		bs.calls++
	}
	bs.size += len(s.Input)
	switch {
	case bs.calls > maxCalls:
		return nil, upstream.CodeTooManyToolCalls
	case len(bs.list) == maxBlocks, bs.size > maxArguments:
		return nil, upstream.CodeStreamTooLarge
	case b.kind == kindCall && b.id == "":
		return nil, upstream.CodeInvalidContentBlock
	case len(b.id) > maxID || len(b.name) > maxName:
		return nil, upstream.CodeEventTooLarge
	}
	if bs.open == nil {
		bs.open = make(map[string]*block)
	}
	bs.open[string(index)] = b
	bs.list = append(bs.list, b)
	return b, ""
}

// find returns the open block of an index, nil if there is none.
func (bs *blocks) find(index json.RawMessage) *block { return bs.open[string(index)] }

// end closes the block of an index and reports whether there was one.
func (bs *blocks) end(index json.RawMessage) bool {
	b := bs.open[string(index)]
	if b == nil {
		return false
	}
	b.closed = true
	delete(bs.open, string(index))
	return true
}

// fragment adds a piece of the input of a block.
func (bs *blocks) fragment(b *block, raw json.RawMessage) string {
	piece, ok := wire.Exact(raw)
	if !ok {
		return upstream.CodeInvalidToolCallArguments
	}
	bs.size += len(piece)
	if bs.size > maxArguments {
		return upstream.CodeStreamTooLarge
	}
	b.args = append(b.args, piece...)
	return ""
}

// isIndex reports whether raw is a whole number from 0, of few digits.
func isIndex(raw json.RawMessage) bool {
	if len(raw) == 0 || len(raw) > 9 {
		return false
	}
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// takesInput reports whether pieces of input fit the block.
func (b *block) takesInput() bool { return b.kind == kindCall || !b.known() && b.input != nil }

// known reports that we know all pieces that fit the block.
func (b *block) known() bool {
	switch b.kind {
	case kindText, kindThinking, kindRedacted, kindCall:
		return true
	}
	return false
}

// arguments returns the input of a finished block, "" for none. What the start
// held counts only if no piece came after it.
func (b *block) arguments() []byte {
	if len(b.args) > 0 || !b.takesInput() {
		return b.args
	}
	start := bytes.TrimSpace(b.input)
	inner, found := bytes.CutPrefix(start, []byte{'{'})
	switch {
	case wire.Absent(b.input), string(start) == `""`, found && len(bytes.TrimSpace(bytes.TrimSuffix(inner, []byte{'}'}))) == 0:
		return nil
	}
	return start
}

// check returns the code of what makes the finished blocks unusable, "" if
// nothing does.
func (bs *blocks) check() string {
	seen := make(map[string]bool)
	for _, b := range bs.list {
		args := b.arguments()
		broken := len(args) > 0 && !wire.IsObject(args)
		switch {
		case !b.closed:
			return upstream.CodeInvalidContentBlock
		case b.kind != kindCall:
			if broken {
				return upstream.CodeInvalidContentBlock
			}
			continue
		case b.name == "":
			return upstream.CodeMissingToolCallName
		case seen[b.id]:
			return upstream.CodeDuplicateToolCallID
		case broken:
			return upstream.CodeInvalidToolCallArguments
		}
		seen[b.id] = true
	}
	return ""
}

// export returns the calls with ids that may be shown. Those of a declared
// name are executable if the whole step is.
func (bs *blocks) export(executable bool, declared map[string]bool) []providers.ToolCall {
	var out []providers.ToolCall
	seen := make(map[string]bool)
	for _, b := range bs.list {
		if b.kind == kindCall {
			out = append(out, providers.ToolCall{
				ID: upstream.CallID(b.id, seen), Name: b.name, Arguments: string(b.arguments()),
				Executable: executable && declared[b.name],
			})
		}
	}
	return out
}

// content returns the blocks as they go back: whole ones that the API takes.
func (bs *blocks) content() []json.RawMessage {
	var out []json.RawMessage
	for _, b := range bs.list {
		if b.partial || b.kind == kindText && blank(b.text.String()) {
			continue
		}
		if raw := b.whole(); raw != nil {
			out = append(out, raw)
		}
	}
	return out
}

// whole returns the start of a block with all its pieces in it.
func (b *block) whole() json.RawMessage {
	pieces := make(map[string]any)
	switch {
	case b.kind == kindText:
		pieces["text"] = b.text.String()
	case b.kind == kindThinking:
		pieces["thinking"], pieces["signature"] = b.text.String(), b.signature.String()
	case b.takesInput():
		args := b.arguments()
		if len(args) == 0 {
			args = []byte(`{}`)
		}
		pieces["input"] = json.RawMessage(args)
	default:
		return b.start
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(b.start, &members) != nil {
		return nil
	}
	for name, piece := range pieces {
		raw, err := wire.Encode(piece)
		if err != nil {
			return nil
		}
		members[name] = raw
	}
	raw, err := wire.Encode(members)
	if err != nil {
		return nil
	}
	return raw
}
