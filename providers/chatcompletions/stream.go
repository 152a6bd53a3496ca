package chatcompletions

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
	id        string // of the chunks, where it is one to ask about
	reason    *reason
	usage     providers.Usage
	text      strings.Builder
	refusal   strings.Builder
	reasoning strings.Builder // for display
	calls     calls
	thoughts  thoughts

	extraContent     json.RawMessage
	details          details
	reasoningContent *strings.Builder // both as sent, nil when absent
	otherReasoning   *strings.Builder
	emptyContent     bool
}

func newTranslator(req providers.Request, d dialect, head upstream.Answer) *translator {
	t := &translator{
		head: head, binding: d.binding(req.Model), display: req.Reasoning,
		declared: make(map[string]bool, len(req.Tools)),
	}
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

// Proved reports that a finish reason came.
func (t *translator) Proved() bool { return t.reason != nil }

// Frame takes one event.
func (t *translator) Frame(ev sse.Event) error {
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
	if string(ev.Name) == "error" {
		if e, ok := t.frameError(data); ok {
			return e
		}
		return t.fail(providers.CategoryServer, "")
	}
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return t.broken(data)
	}
	if c.Choices == nil && c.Usage == nil || !wire.Absent(c.Error) {
		if e, ok := t.frameError(data); ok {
			return e
		}
		if len(data) > upstream.MaxErrorBody && !wire.Absent(c.Error) {
			return t.fail(providers.CategoryServer, "")
		}
	}
	if err := t.chunk(c); err != nil {
		return err
	}
	if len(t.out) == 0 {
		t.out = append(t.out, providers.Activity{})
	}
	return nil
}

// broken says why data is no chunk.
func (t *translator) broken(data []byte) error {
	if e, ok := t.frameError(data); ok {
		return e
	}
	if json.Valid(data) && data[0] != '{' {
		return t.fail(providers.CategoryParser, upstream.CodeUnexpectedStreamFormat)
	}
	return t.fail(providers.CategoryParser, upstream.CodeInvalidSSEJSON)
}

func (t *translator) frameError(data []byte) (*providers.Error, bool) {
	frame := t.head
	frame.Now = time.Now()
	e, ok := frame.ClassifyFrame(data)
	if ok && e.RequestID == "" {
		e.RequestID = t.id
	}
	return e, ok
}

func (t *translator) fail(category providers.Category, code string) *providers.Error {
	e := t.head.Error(category, code)
	if e.RequestID == "" {
		e.RequestID = t.id
	}
	return e
}

// chunk takes the parts of a chunk in the order usage, delta, finish.
func (t *translator) chunk(c chunk) error {
	if t.id == "" && strings.HasPrefix(c.ID.S, "gen-") {
		t.id = upstream.CleanID(c.ID.S)
	}
	t.count(c.Groq.V.Usage)
	if c.Choices == nil {
		t.count(c.Usage)
		return nil
	}
	for _, ch := range *c.Choices {
		if ch.Index != 0 {
			continue
		}
		t.count(ch.Usage)
		if !wire.Absent(ch.Message) {
			return t.fail(providers.CategoryParser, upstream.CodeUnexpectedStreamFormat)
		}
		if err := t.delta(ch.Delta); err != nil {
			return err
		}
		t.finish(ch)
	}
	t.count(c.Usage)
	return nil
}

// count keeps the last usage that counts anything.
func (t *translator) count(u *usage) {
	if u == nil {
		return
	}
	counts := u.counts()
	if counts.Known() && !counts.Equal(t.usage) {
		t.usage = counts
		t.out = append(t.out, providers.UsageUpdate{Usage: counts})
	}
}

func (t *translator) delta(d delta) error {
	switch {
	case d.Content.odd:
		return t.fail(providers.CategoryParser, upstream.CodeInvalidContentBlock)
	case !wire.Absent(d.FunctionCall):
		return t.fail(providers.CategoryParser, upstream.CodeUnsupportedFunctionCall)
	}
	if !t.think(d) {
		return t.fail(providers.CategoryParser, upstream.CodeStreamTooLarge)
	}
	e := readExtra(d.ExtraContent)
	if e.signed() {
		t.extraContent = d.ExtraContent
	}
	t.emptyContent = t.emptyContent || d.Content.Set && d.Content.S == ""
	if s := t.thoughts.answer(d.Content.S, e.thought()); s != "" {
		t.text.WriteString(s)
		t.out = append(t.out, providers.TextDelta{Text: s})
	}
	if s := d.Refusal.S; s != "" {
		t.refusal.WriteString(s)
		t.out = append(t.out, providers.RefusalDelta{Text: s})
	}
	for _, call := range d.ToolCalls {
		if code := t.calls.add(call); code != "" {
			return t.fail(providers.CategoryParser, code)
		}
	}
	return nil
}

// think takes the reasoning of a delta: once for display, and as it was sent
// for the replay. It reports false when there is too much of it.
func (t *translator) think(d delta) bool {
	display := d.ReasoningContent
	if !display.Set {
		display = d.Reasoning
	}
	keep(&t.reasoningContent, d.ReasoningContent)
	keep(&t.otherReasoning, d.Reasoning)
	for _, raw := range d.ReasoningDetails.V {
		if !t.details.add(raw) {
			return false
		}
		if !display.Set {
			display.S += displayText(raw)
		}
	}
	if display.S != "" && t.display {
		t.reasoning.WriteString(display.S)
		t.out = append(t.out, providers.ReasoningDelta{Text: display.S})
	}
	return true
}

func keep(into **strings.Builder, s wire.Text) {
	if !s.Set {
		return
	}
	if *into == nil {
		*into = new(strings.Builder)
	}
	(*into).WriteString(s.S)
}

// finish takes the finish reason of a choice. The first one counts, unless a
// later one is more restrictive.
func (t *translator) finish(ch choice) {
	if ch.FinishReason != "" {
		t.conclude(readReason(ch.FinishReason))
	}
	for _, raw := range []string{ch.reason(), ch.Delta.reason()} {
		if r, ok := readNative(raw); ok {
			t.conclude(r)
		}
	}
}

func (t *translator) conclude(r reason) {
	if t.reason == nil || r.rank > t.reason.rank {
		t.reason = &r
	}
}
