package responses

import (
	"io"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// A spoken text is what was said over one channel so far. Parts are set apart
// by a blank line.
type spoken struct {
	strings.Builder
	begun       bool
	index, part int
}

// delta takes a piece of text that is for people.
func (t *translator) delta(e event, to *spoken) error {
	it, code := t.items.at(e.OutputIndex)
	if code != "" {
		return t.fail(providers.CategoryParser, code)
	}
	var piece wire.Text
	if !wire.Absent(e.Delta) {
		if piece.UnmarshalJSON(e.Delta) != nil || !piece.Set {
			return t.fail(providers.CategoryParser, upstream.CodeInvalidContentBlock)
		}
	}
	it.said = true
	t.say(to, e.OutputIndex, e.SummaryIndex, piece.S)
	return nil
}

func (t *translator) say(to *spoken, index, part int, text string) {
	if text == "" || to == &t.reasoning && !t.display {
		return
	}
	if to.begun && (to.index != index || to.part != part) {
		text = "\n\n" + text
	}
	to.begun, to.index, to.part = true, index, part
	to.WriteString(text)
	switch to {
	case &t.text:
		t.out = append(t.out, providers.TextDelta{Text: text})
	case &t.refusal:
		t.out = append(t.out, providers.RefusalDelta{Text: text})
	default:
		t.out = append(t.out, providers.ReasoningDelta{Text: text})
	}
}

// End judges the stream by its terminal event.
func (t *translator) End(err error) (providers.Finish, error) {
	broken, isFailure := err.(*providers.Error)
	if !isFailure && err != io.EOF && err != upstream.ErrDone {
		return providers.Finish{}, err
	}
	if t.failure != nil || t.terminal == "failed" {
		return providers.Finish{}, t.failed()
	}
	switch {
	case t.terminal != "":
	case isFailure:
		return providers.Finish{}, broken
	case t.frames == 0:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeEmptyStream)
	default:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeStreamEndedEarly)
	}
	if t.response.Status.S == "cancelled" {
		e := t.fail(providers.CategoryServer, "cancelled")
		e.Retryable = false
		return providers.Finish{}, e
	}
	reason := t.reason()
	if reason == providers.FinishToolCalls {
		if code := t.items.check(); code != "" {
			return providers.Finish{}, t.fail(providers.CategoryParser, code)
		}
	}
	return t.close(reason), nil
}

// failed is the one failure that an error event and a failed response tell of:
// the first that has a code.
func (t *translator) failed() *providers.Error {
	if t.failure != nil && (t.failure.Code != "" || wire.Absent(t.response.Error)) {
		return t.failure
	}
	if e, ok := t.classify([]byte(`{"error":` + string(t.response.Error) + `}`)); ok && !wire.Absent(t.response.Error) {
		return e
	}
	if t.failure != nil {
		return t.failure
	}
	return t.fail(providers.CategoryServer, "")
}

func (t *translator) reason() providers.FinishReason {
	if t.terminal == "incomplete" || t.response.Status.S == "incomplete" {
		switch t.response.Incomplete.V.Reason.S {
		case "max_output_tokens":
			return providers.FinishLength
		case "content_filter":
			return providers.FinishContentFilter
		}
		return providers.FinishOther
	}
	switch {
	case len(t.items.ofCalls()) > 0:
		return providers.FinishToolCalls
	case t.refusal.Len() > 0:
		return providers.FinishRefusal
	}
	return providers.FinishStop
}

// maxRawReason bounds the raw reason, in bytes.
const maxRawReason = 64

func (t *translator) close(reason providers.FinishReason) providers.Finish {
	f := providers.Finish{
		Reason: reason, RawReason: t.terminal,
		Text: t.text.String(), Refusal: t.refusal.String(), Reasoning: t.reasoning.String(),
		Calls: t.items.export(reason == providers.FinishToolCalls, t.declared),
		Usage: t.usage, RequestID: upstream.RequestID(t.head.Header),
	}
	if cause := t.response.Incomplete.V.Reason.S; cause != "" {
		f.RawReason = wire.Cut(t.terminal+":"+cause, maxRawReason)
	}
	if reason.Complete() || reason == providers.FinishRefusal {
		f.Replay = pack(t.items.list, f.Calls, t.binding)
	}
	return f
}
