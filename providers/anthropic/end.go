package anthropic

import (
	"encoding/json"
	"io"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// End judges the stream by message_stop, which is its proof.
func (t *translator) End(err error) (providers.Finish, error) {
	failure, broken := err.(*providers.Error)
	switch {
	case !broken && err != io.EOF && err != upstream.ErrDone:
		return providers.Finish{}, err
	case t.stopped:
	case broken:
		return providers.Finish{}, failure
	case t.frames == 0:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeEmptyStream)
	default:
		return providers.Finish{}, t.fail(providers.CategoryNetwork, upstream.CodeStreamEndedEarly)
	}
	reason := settle(t.reason, t.blocks.calls)
	if reason.Complete() || reason == providers.FinishPause {
		code := t.blocks.check()
		if code == "" && reason == providers.FinishToolCalls && t.blocks.calls == 0 {
			code = upstream.CodeMissingToolCall
		}
		if code != "" {
			return providers.Finish{}, t.parser(code)
		}
	}
	return t.close(reason), nil
}

// settle decides what a stop reason means for an answer with these calls. Calls
// with another reason than theirs are a contradiction.
func settle(raw string, calls int) providers.FinishReason {
	switch raw {
	case "end_turn", "stop_sequence":
		if calls > 0 {
			return providers.FinishOther
		}
		return providers.FinishStop
	case "tool_use":
		return providers.FinishToolCalls
	case "max_tokens":
		return providers.FinishLength
	case "refusal":
		return providers.FinishRefusal
	case "pause_turn":
		return providers.FinishPause
	case "model_context_window_exceeded":
		return providers.FinishContextLength
	}
	return providers.FinishOther
}

// maxRawReason bounds the raw reason, in bytes.
const maxRawReason = 64

func (t *translator) close(reason providers.FinishReason) providers.Finish {
	f := providers.Finish{
		Reason:    reason,
		RawReason: wire.Cut(t.reason, maxRawReason),
		Text:      t.text.String(),
		Reasoning: t.reasoning.String(),
		Usage:     t.counted,
		RequestID: upstream.RequestID(t.head.Header),
	}
	if reason == providers.FinishRefusal {
		f.Replay = replay.Pack(t.binding, private{})
		return f
	}
	f.Calls = t.blocks.export(reason == providers.FinishToolCalls, t.declared)
	if reason.Complete() || reason == providers.FinishPause {
		f.Replay = t.private(f.Calls)
	}
	return f
}

// private returns the state that goes back for a whole turn, nil if its text
// says it all.
func (t *translator) private(calls []providers.ToolCall) *providers.Replay {
	content := t.blocks.content()
	if len(content) == 0 || len(content) == 1 && t.plain(content[0]) {
		return nil
	}
	return replay.Pack(t.binding, private{Content: content, Calls: replay.CallDigests(calls)})
}

// plain reports that a block is what a history makes of the text alone.
func (t *translator) plain(content json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(content, &members) != nil || len(members) != 2 || string(members["type"]) != `"text"` {
		return false
	}
	text, err := wire.Encode(t.text.String())
	return err == nil && string(text) == string(members["text"])
}
