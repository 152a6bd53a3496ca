package responses

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"countersign/providers"
	"countersign/providers/sse"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// A translator turns the events of one stream into those of the vocabulary. It
// is an [upstream.Translator].
type translator struct {
	head     upstream.Answer
	binding  string
	display  bool // of reasoning
	declared map[string]bool

	out       []providers.Event
	frames    int
	created   bool
	items     items
	text      spoken
	refusal   spoken
	reasoning spoken
	usage     providers.Usage
	failure   *providers.Error // an error event came; the response may say more
	terminal  string           // the kind of the last event, "" before it
	response  response
}

func newTranslator(req providers.Request, binding string, head upstream.Answer) *translator {
	t := &translator{head: head, binding: binding, display: req.Reasoning, declared: make(map[string]bool, len(req.Tools))}
	for _, tool := range req.Tools {
		t.declared[tool.Name] = true
	}
	return t
}

// Take returns the events since the last call. They are overwritten by the
// next frame.
func (t *translator) Take() []providers.Event {
	out := t.out
	t.out = t.out[:0]
	return out
}

// Proved reports that the response has ended.
func (t *translator) Proved() bool { return t.terminal != "" || t.failure != nil }

// Frame takes one event. After an error event it is not the form of what
// follows that failed the attempt.
func (t *translator) Frame(ev sse.Event) error {
	err := t.frame(ev)
	if _, broken := err.(*providers.Error); broken && t.failure != nil {
		return t.failed()
	}
	return err
}

func (t *translator) frame(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case ev.Comment || len(data) == 0:
		t.out = append(t.out, providers.Activity{})
		return nil
	case string(data) == "[DONE]":
		t.frames++
		return upstream.ErrDone
	case ev.Unterminated && !json.Valid(data):
		return nil // cut off: the end of the stream is what counts
	}
	t.frames++
	if wire.TooComplex(data) {
		return t.fail(providers.CategoryParser, upstream.CodeEventTooLarge)
	}
	var e event
	if json.Unmarshal(data, &e) != nil {
		return t.broken(data)
	}
	if strings.HasPrefix(e.Object.S, "chat.completion") {
		return t.fail(providers.CategoryParser, upstream.CodeUnexpectedStreamFormat)
	}
	kind := e.Type.S
	if kind == "" {
		kind = string(ev.Name)
	}
	if err := t.event(kind, e, data); err != nil {
		return err
	}
	if len(t.out) == 0 {
		t.out = append(t.out, providers.Activity{})
	}
	return nil
}

// broken says why data is no event.
func (t *translator) broken(data []byte) error {
	if e, ok := t.classify(data); ok {
		return e
	}
	if json.Valid(data) && data[0] != '{' {
		return t.fail(providers.CategoryParser, upstream.CodeUnexpectedStreamFormat)
	}
	return t.fail(providers.CategoryParser, upstream.CodeInvalidSSEJSON)
}

func (t *translator) classify(data []byte) (*providers.Error, bool) {
	frame := t.head
	frame.Now = time.Now()
	return frame.ClassifyFrame(data)
}

func (t *translator) fail(category providers.Category, code string) *providers.Error {
	return t.head.Error(category, code)
}

// event takes what matters to the answer; everything else is a sign of life.
func (t *translator) event(kind string, e event, data []byte) error {
	if t.Proved() && kind != "error" && kind != "response.failed" {
		return nil // too late to be of the answer
	}
	switch kind {
	case "response.created":
		if t.created && len(t.items.list) > 0 {
			return t.fail(providers.CategoryParser, upstream.CodeDuplicateResponseCreated)
		}
		t.created = true
	case "response.output_item.added", "response.output_item.done":
		return t.item(kind == "response.output_item.done", e)
	case "response.output_text.delta":
		return t.delta(e, &t.text)
	case "response.refusal.delta":
		return t.delta(e, &t.refusal)
	case "response.reasoning_summary_text.delta":
		return t.delta(e, &t.reasoning)
	case "response.function_call_arguments.delta":
		return t.arguments(e)
	case "response.completed", "response.incomplete", "response.failed":
		t.end(strings.TrimPrefix(kind, "response."), e.Response.V)
	case "error":
		failure, ok := t.classify(data)
		if !ok {
			failure = t.fail(providers.CategoryServer, "")
		}
		if t.failure == nil || t.failure.Code == "" && failure.Code != "" {
			t.failure = failure
		}
	case "":
		if failure, ok := t.classify(data); ok {
			return failure
		}
	}
	return nil
}

// end takes the event that closes the response. The first one counts, but for
// a failure that it did not tell of.
func (t *translator) end(kind string, r response) {
	if t.terminal == "failed" {
		return
	}
	t.terminal, t.response = kind, r
	if counts := r.Usage.V.counts(); counts.Known() && !counts.Equal(t.usage) {
		t.usage = counts
		t.out = append(t.out, providers.UsageUpdate{Usage: counts})
	}
}
