package chatcompletions

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"countersign/providers"
	"countersign/providers/sse"
	"countersign/providers/upstream"
)

// A translator turns the events of one stream into those of the vocabulary. It
// is fed by frame and closed by end; take returns what came out so far.
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

// take returns the events since the last call. They are overwritten by the
// next frame.
func (t *translator) take() []providers.Event {
	out := t.out
	t.out = t.out[:0]
	return out
}

// proved reports that a finish reason came.
func (t *translator) proved() bool { return t.reason != nil }

// frame takes one event. It returns errDone at the announced end, or a
// [*providers.Error].
func (t *translator) frame(ev sse.Event) error {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case ev.Comment || len(data) == 0:
		t.out = append(t.out, providers.Activity{})
		return nil
	case string(data) == "[DONE]":
		t.frames++
		return errDone
	case ev.Unterminated && !json.Valid(data):
		return nil // cut off: the end of the stream is what counts
	}
	t.frames++
	if len(data) > plainFrame && structures(data) > maxStructures {
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
	if c.Choices == nil && c.Usage == nil || !absent(c.Error) {
		if e, ok := t.frameError(data); ok {
			return e
		}
		if len(data) > upstream.MaxErrorBody && !absent(c.Error) {
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

// A small frame can't hold enough objects to be a burden in memory. A large one
// is looked at first: long strings are fine, many objects are not.
const (
	plainFrame    = 64 << 10
	maxStructures = 4096
)

// structures counts the objects and arrays of a JSON text.
func structures(data []byte) int {
	n := 0
	quoted, escaped := false, false
	for _, c := range data {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			n++
		}
	}
	return n
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
	if t.id == "" && strings.HasPrefix(c.ID.s, "gen-") {
		t.id = upstream.CleanID(c.ID.s)
	}
	t.count(c.Groq.v.Usage)
	if c.Choices == nil {
		t.count(c.Usage)
		return nil
	}
	for _, ch := range *c.Choices {
		if ch.Index != 0 {
			continue
		}
		t.count(ch.Usage)
		if !absent(ch.Message) {
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
	case !absent(d.FunctionCall):
		return t.fail(providers.CategoryParser, upstream.CodeUnsupportedFunctionCall)
	}
	if !t.think(d) {
		return t.fail(providers.CategoryParser, upstream.CodeStreamTooLarge)
	}
	e := readExtra(d.ExtraContent)
	if e.signed() {
		t.extraContent = d.ExtraContent
	}
	t.emptyContent = t.emptyContent || d.Content.set && d.Content.s == ""
	if s := t.thoughts.answer(d.Content.s, e.thought()); s != "" {
		t.text.WriteString(s)
		t.out = append(t.out, providers.TextDelta{Text: s})
	}
	if s := d.Refusal.s; s != "" {
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
	if !display.set {
		display = d.Reasoning
	}
	keep(&t.reasoningContent, d.ReasoningContent)
	keep(&t.otherReasoning, d.Reasoning)
	for _, raw := range d.ReasoningDetails.v {
		if !t.details.add(raw) {
			return false
		}
		if !display.set {
			display.s += displayText(raw)
		}
	}
	if display.s != "" && t.display {
		t.reasoning.WriteString(display.s)
		t.out = append(t.out, providers.ReasoningDelta{Text: display.s})
	}
	return true
}

func keep(into **strings.Builder, s text) {
	if !s.set {
		return
	}
	if *into == nil {
		*into = new(strings.Builder)
	}
	(*into).WriteString(s.s)
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
