package anthropic

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

// A translator is the [upstream.Translator] of one stream.
type translator struct {
	head     upstream.Answer
	binding  string
	display  bool // of reasoning
	declared map[string]bool

	out       []providers.Event
	frames    int
	started   bool
	stopped   bool // message_stop came
	reason    string
	usage     usage
	counted   providers.Usage
	text      strings.Builder
	reasoning strings.Builder // for display
	blocks    blocks
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

// Proved reports that message_stop came.
func (t *translator) Proved() bool { return t.stopped }

// Frame takes one event. The end that some proxies announce proves nothing.
func (t *translator) Frame(ev sse.Event) error {
	if string(bytes.TrimSpace(ev.Data)) == "[DONE]" {
		return upstream.ErrDone
	}
	if failure := t.frame(ev); failure != nil {
		return failure
	}
	return nil
}

func (t *translator) frame(ev sse.Event) *providers.Error {
	data := bytes.TrimSpace(ev.Data)
	switch {
	case ev.Comment || len(data) == 0:
		t.out = append(t.out, providers.Activity{})
		return nil
	case ev.Unterminated && !json.Valid(data):
		return nil // cut off: the end of the stream is what counts
	}
	t.frames++
	if wire.TooComplex(data) {
		return t.parser(upstream.CodeEventTooLarge)
	}
	var f frame
	if json.Unmarshal(data, &f) != nil {
		return t.broken(ev, data)
	}
	kind := f.Type.S
	if kind == "" {
		kind = string(ev.Name)
	}
	var failure *providers.Error
	if kind == "error" || string(ev.Name) == "error" || !wire.Absent(f.Error) {
		failure = t.failed(data)
	} else {
		failure = t.event(kind, f)
	}
	if failure == nil && len(t.out) == 0 {
		t.out = append(t.out, providers.Activity{})
	}
	return failure
}

// event takes an event by its kind. Unknown ones mean nothing.
func (t *translator) event(kind string, f frame) *providers.Error {
	switch kind {
	case "message_start":
		if t.started {
			return t.parser(upstream.CodeDuplicateMessageStart)
		}
		t.started = true
		if u := f.Message.V.Usage; u != nil {
			t.usage.begin(u.V)
			t.count()
		}
		return nil
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "":
		if !t.started { // the stream of another API, or one without its beginning
			return t.parser(upstream.CodeUnexpectedStreamFormat)
		}
	}
	switch kind {
	case "content_block_start", "content_block_delta", "content_block_stop":
		if code := t.content(kind, f); code != "" {
			return t.parser(code)
		}
	case "message_delta":
		if r := f.Delta.V.StopReason; r.Set {
			t.reason = r.S
		}
		if f.Usage != nil {
			t.usage.update(f.Usage.V)
			t.count()
		}
	case "message_stop":
		t.stopped = true
	}
	return nil
}

// content takes an event of a block. After the end there is none.
func (t *translator) content(kind string, f frame) (code string) {
	if t.stopped {
		return upstream.CodeInvalidContentBlock
	}
	switch kind {
	case "content_block_start":
		return t.begin(f)
	case "content_block_stop":
		if !t.blocks.end(f.Index) {
			return upstream.CodeInvalidContentBlock
		}
		return ""
	}
	b := t.blocks.find(f.Index)
	if b == nil {
		return upstream.CodeInvalidContentBlock
	}
	return t.delta(b, f.Delta.V)
}

// begin opens a block; what its start holds is a first piece.
func (t *translator) begin(f frame) (code string) {
	b, code := t.blocks.begin(f.Index, f.Block)
	if code != "" {
		return code
	}
	var s blockStart
	_ = json.Unmarshal(f.Block, &s) // begin has read it
	switch b.kind {
	case kindText:
		return t.answer(b, s.Text)
	case kindThinking:
		if code := t.sign(b, s.Signature); code != "" {
			return code
		}
		return t.think(b, s.Thinking)
	}
	return ""
}

func (t *translator) delta(b *block, d delta) (code string) {
	switch {
	case d.Type == "text_delta" && b.kind == kindText:
		return t.answer(b, d.Text)
	case d.Type == "thinking_delta" && b.kind == kindThinking:
		return t.think(b, d.Thinking)
	case d.Type == "signature_delta" && b.kind == kindThinking:
		return t.sign(b, d.Signature)
	case d.Type == "input_json_delta" && b.takesInput():
		return t.blocks.fragment(b, d.PartialJSON)
	case !b.known():
		b.partial = true
		return ""
	}
	switch d.Type {
	case "text_delta", "thinking_delta", "signature_delta", "input_json_delta", "":
		return upstream.CodeInvalidContentBlock
	}
	return "" // citations, and whatever may come
}

func (t *translator) answer(b *block, raw json.RawMessage) (code string) {
	s, ok := looseText(raw)
	if !ok {
		return upstream.CodeInvalidContentBlock
	}
	if s != "" {
		b.text.WriteString(s)
		t.text.WriteString(s)
		t.out = append(t.out, providers.TextDelta{Text: s})
	}
	return ""
}

// think takes a piece of thinking. A blank line stands between two blocks.
func (t *translator) think(b *block, raw json.RawMessage) (code string) {
	s, ok := wire.Exact(raw)
	if !ok {
		return upstream.CodeInvalidContentBlock
	}
	if s == "" {
		return ""
	}
	first := b.text.Len() == 0
	b.text.WriteString(s)
	if !t.display {
		return ""
	}
	if first && t.reasoning.Len() > 0 {
		s = "\n\n" + s
	}
	t.reasoning.WriteString(s)
	t.out = append(t.out, providers.ReasoningDelta{Text: s})
	return ""
}

func (t *translator) sign(b *block, raw json.RawMessage) (code string) {
	s, ok := wire.Exact(raw)
	if !ok {
		return upstream.CodeInvalidContentBlock
	}
	b.signature.WriteString(s)
	return ""
}

// count says what the attempt has cost, where that is news.
func (t *translator) count() {
	if counts := t.usage.counts(); !counts.Equal(t.counted) {
		t.counted = counts
		t.out = append(t.out, providers.UsageUpdate{Usage: counts})
	}
}

// broken says why data is no event.
func (t *translator) broken(ev sse.Event, data []byte) *providers.Error {
	if e, ok := t.classify(data); ok {
		return e
	}
	switch {
	case string(ev.Name) == "error":
		return t.fail(providers.CategoryServer, "")
	case json.Valid(data):
		return t.parser(upstream.CodeUnexpectedStreamFormat)
	}
	return t.parser(upstream.CodeInvalidSSEJSON)
}

// failed reads an error that came as an event.
func (t *translator) failed(data []byte) *providers.Error {
	if e, ok := t.classify(data); ok {
		return e
	}
	return t.fail(providers.CategoryServer, "")
}

func (t *translator) classify(data []byte) (*providers.Error, bool) {
	head := t.head
	head.Now = time.Now()
	return head.ClassifyFrame(data)
}

func (t *translator) parser(code string) *providers.Error {
	return t.fail(providers.CategoryParser, code)
}

func (t *translator) fail(category providers.Category, code string) *providers.Error {
	return t.head.Error(category, code)
}
