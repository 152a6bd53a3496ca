package chatcompletions

import (
	"io"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// End judges the stream by its reason for an end.
func (t *translator) End(err error) (providers.Finish, error) {
	failure, broken := err.(*providers.Error)
	if !broken && err != io.EOF && err != upstream.ErrDone {
		return providers.Finish{}, err
	}
	if t.reason == nil {
		switch {
		case broken:
			return providers.Finish{}, failure
		case err == upstream.ErrDone:
			return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeMissingFinishReason)
		case t.frames == 0:
			return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeEmptyStream)
		}
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeStreamEndedEarly)
	}
	if t.reason.finish == "" {
		return providers.Finish{}, t.fail(t.reason.category, t.reason.code)
	}
	reason := t.reason.settle(len(t.calls.list), t.refusal.Len() > 0)
	if reason == providers.FinishToolCalls {
		code := t.calls.check()
		if len(t.calls.list) == 0 {
			code = upstream.CodeMissingToolCall
		}
		if code != "" {
			return providers.Finish{}, t.fail(providers.CategoryParser, code)
		}
	}
	return t.close(reason), nil
}

func (t *translator) close(reason providers.FinishReason) providers.Finish {
	f := providers.Finish{
		Reason:    reason,
		RawReason: wire.Cut(t.reason.raw, maxRawReason),
		Text:      t.text.String(),
		Reasoning: t.reasoning.String(),
		Refusal:   t.refusal.String(),
		Calls:     t.calls.export(reason == providers.FinishToolCalls, t.declared),
		Usage:     t.usage,
		RequestID: upstream.RequestID(t.head.Header),
	}
	if f.RequestID == "" {
		f.RequestID = t.id
	}
	if reason.Complete() || reason == providers.FinishRefusal {
		f.Replay = t.private(f.Calls).pack(t.binding)
	}
	return f
}

// private collects the state that goes with the finished calls. Reasoning goes
// back only beside calls, and not when its details do.
func (t *translator) private(calls []providers.ToolCall) private {
	p := private{ExtraContent: t.extraContent, ReasoningDetails: t.details.export()}
	if len(calls) == 0 {
		return p
	}
	if len(p.ReasoningDetails) == 0 {
		switch {
		case t.reasoningContent != nil:
			s := t.reasoningContent.String()
			p.ReasoningContent = &s
			p.EmptyContent = t.emptyContent && t.text.Len() == 0
		case t.otherReasoning != nil:
			s := t.otherReasoning.String()
			p.Reasoning = &s
		}
	}
	marked := false
	list := make([]privateCall, len(calls))
	for i, c := range calls {
		k := t.calls.list[i]
		list[i] = privateCall{ID: k.id, ExtraContent: k.extra, Digest: replay.CallDigest(c)}
		marked = marked || (k.id != "" && k.id != c.ID) || !wire.Absent(k.extra)
	}
	if marked {
		p.Calls = list
	}
	return p
}
