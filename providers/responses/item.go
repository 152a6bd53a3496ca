package responses

import (
	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

const (
	maxItems     = 1024
	maxCalls     = 128
	maxName      = 1 << 10 // bytes, as the following
	maxID        = 64 << 10
	maxArguments = 8 << 20 // of all calls together
)

// items are those of a response, by the index that the service gave them: ids
// may change from event to event.
type items struct {
	byIndex map[int]*item
	list    []*item // in order of index
	calls   int
	size    int // of arguments
}

// An item is one of a response.
type item struct {
	index  int
	done   doneItem // as announced, until finished
	ended  bool     // its own last event came
	pieces []byte   // of arguments
}

// at returns the item of an index, made if needed, or the code of what is wrong.
func (l *items) at(index int) (*item, string) {
	if it := l.byIndex[index]; it != nil {
		return it, ""
	}
	switch {
	case index < 0:
		return nil, upstream.CodeInvalidContentBlock
	case index >= maxItems:
		return nil, upstream.CodeStreamTooLarge
	}
	if l.byIndex == nil {
		l.byIndex = make(map[int]*item)
	}
	it := &item{index: index}
	l.byIndex[index] = it
	place := len(l.list)
	for place > 0 && l.list[place-1].index > index {
		place--
	}
	l.list = append(l.list, nil)
	copy(l.list[place+1:], l.list[place:])
	l.list[place] = it
	return it, ""
}

// item takes an item that begins or ends. What it holds at its end is the truth.
func (t *translator) item(ended bool, e event) error {
	d, ok := readItem(e.Item)
	if !ok {
		return t.fail(providers.CategoryParser, upstream.CodeInvalidContentBlock)
	}
	it, code := t.items.at(int(e.OutputIndex))
	if code != "" {
		return t.fail(providers.CategoryParser, code)
	}
	if it.ended {
		return t.fail(providers.CategoryParser, upstream.CodeInvalidContentBlock)
	}
	if d.Type.S == "function_call" && it.done.Type.S != "function_call" {
		if t.items.calls++; t.items.calls > maxCalls {
			return t.fail(providers.CategoryParser, upstream.CodeTooManyToolCalls)
		}
	}
	if len(d.CallID.S) > maxID || len(d.Name.S) > maxName {
		return t.fail(providers.CategoryParser, upstream.CodeEventTooLarge)
	}
	it.done, it.ended = d, ended
	if !ended {
		return nil
	}
	t.sayItem(it.index, d)
	if d.Type.S != "function_call" {
		return nil
	}
	arguments, ok := wire.Exact(d.Arguments)
	if !ok {
		return t.fail(providers.CategoryParser, upstream.CodeInvalidToolCallArguments)
	}
	t.items.size += len(arguments) - len(it.pieces)
	it.pieces = []byte(arguments)
	if t.items.size > maxArguments {
		return t.fail(providers.CategoryParser, upstream.CodeStreamTooLarge)
	}
	return nil
}

// arguments takes a piece of a call's arguments. Only the finished item says
// what they are; the pieces tell how far a call got that was cut off.
func (t *translator) arguments(e event) error {
	it, code := t.items.at(int(e.OutputIndex))
	if code != "" {
		return t.fail(providers.CategoryParser, code)
	}
	piece, ok := wire.Exact(e.Delta)
	if !ok || it.ended {
		return t.fail(providers.CategoryParser, upstream.CodeInvalidToolCallArguments)
	}
	if t.items.size += len(piece); t.items.size > maxArguments {
		return t.fail(providers.CategoryParser, upstream.CodeStreamTooLarge)
	}
	it.pieces = append(it.pieces, piece...)
	return nil
}

// ofCalls returns the items that are calls.
func (l *items) ofCalls() []*item {
	var list []*item
	for _, it := range l.list {
		if it.done.Type.S == "function_call" {
			list = append(list, it)
		}
	}
	return list
}

// check returns the code of what makes the calls of a complete response
// unusable, "" if nothing does. Arguments without a call are a lost one.
func (l *items) check() string {
	seen := make(map[string]bool)
	for _, it := range l.list {
		id, status := it.done.CallID.S, it.done.Status.S
		switch {
		case it.done.Type.S != "function_call" && len(it.pieces) == 0:
			continue
		case !it.ended, status != "" && status != "completed":
			return upstream.CodeMissingToolCall
		case it.done.Name.S == "":
			return upstream.CodeMissingToolCallName
		case id != "" && seen[id]:
			return upstream.CodeDuplicateToolCallID
		case len(it.pieces) > 0 && !wire.IsObject(it.pieces):
			return upstream.CodeInvalidToolCallArguments
		}
		seen[id] = true
	}
	return ""
}

// export returns the calls with ids that may be shown. Those of a declared
// name are executable if the whole step is.
func (l *items) export(executable bool, declared map[string]bool) []providers.ToolCall {
	var out []providers.ToolCall
	seen := make(map[string]bool)
	for _, it := range l.ofCalls() {
		out = append(out, providers.ToolCall{
			ID: upstream.CallID(it.done.CallID.S, seen), Name: it.done.Name.S, Arguments: string(it.pieces), Executable: executable && declared[it.done.Name.S],
		})
	}
	return out
}
