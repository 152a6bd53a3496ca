package responses

import (
	"io"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// End judges the stream by its terminal event.
func (t *translator) End(err error) (providers.Finish, error) {
	broken, isFailure := err.(*providers.Error)
	if !isFailure && err != io.EOF && err != upstream.ErrDone {
		return providers.Finish{}, err
	}
	switch status := t.response.Status.S; {
	case t.failure != nil, t.terminal == "failed", status == "failed", status == "cancelled":
		return providers.Finish{}, t.failed()
	case t.terminal != "":
	case isFailure:
		return providers.Finish{}, broken
	case t.frames == 0:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeEmptyStream)
	default:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeStreamEndedEarly)
	}
	reason := t.reason()
	if reason.Complete() {
		if code := t.items.check(); code != "" {
			return providers.Finish{}, t.fail(providers.CategoryParser, code)
		}
	}
	return t.close(reason), nil
}

// failed is the one failure that error events and a failed response tell of:
// the first that has a code.
func (t *translator) failed() *providers.Error {
	if t.failure != nil && t.failure.Code != "" {
		return t.failure
	}
	if t.response.Status.S == "cancelled" {
		e := t.fail(providers.CategoryServer, "cancelled")
		e.Retryable = false
		return e
	}
	if !wire.Absent(t.response.Error) {
		if e, ok := t.classify([]byte(`{"error":` + string(t.response.Error) + `}`)); ok {
			return e
		}
	}
	if t.failure != nil {
		return t.failure
	}
	return t.fail(providers.CategoryServer, "")
}

func (t *translator) reason() providers.FinishReason {
	status, calls := t.response.Status.S, len(t.items.ofCalls()) > 0
	if t.terminal == "incomplete" || status == "incomplete" {
		switch t.response.Incomplete.V.Reason.S {
		case "max_output_tokens":
			return providers.FinishLength
		case "content_filter":
			return providers.FinishContentFilter
		}
		return providers.FinishOther
	}
	switch {
	case status != "completed" && (status != "" || calls):
		return providers.FinishOther // only its own word lets the calls of a response run
	case calls:
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
		f.Replay = t.pack(f.Calls)
	}
	return f
}
