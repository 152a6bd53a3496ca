package chatcompletions

import (
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
)

// A reason is what a finish reason of any vendor amounts to.
type reason struct {
	raw    string
	finish providers.FinishReason // "" for a failure
	rank   int                    // the higher one wins over the lower

	category providers.Category // of a failure
	code     string
}

const (
	rankWhole = iota // the answer is complete
	rankUnknown
	rankCut
	rankFiltered
	rankFailed
)

// readReason translates a finish reason.
func readReason(raw string) reason {
	r := reason{raw: raw}
	switch strings.ToLower(raw) {
	case "stop", "eos", "end_turn", "stop_sequence":
		r.finish = providers.FinishStop
	case "tool_calls", "function_call":
		r.finish = providers.FinishToolCalls
	case "length", "max_tokens", "model_length":
		r.finish, r.rank = providers.FinishLength, rankCut
	case "content_filter", "safety", "image_safety", "recitation", "blocklist", "prohibited_content", "spii":
		r.finish, r.rank = providers.FinishContentFilter, rankFiltered
	case "error":
		r.category, r.rank = providers.CategoryServer, rankFailed
	case "insufficient_system_resource":
		r.category, r.code, r.rank = providers.CategoryOverloaded, "insufficient_system_resource", rankFailed
	case "aborted":
		r.category, r.rank = providers.CategoryOverloaded, rankFailed
	case "malformed_function_call", "unexpected_tool_call":
		r.category, r.code, r.rank = providers.CategoryServer, upstream.CodeMalformedFunctionCall, rankFailed
	default:
		r.finish, r.rank = providers.FinishOther, rankUnknown
	}
	return r
}

// readNative looks into the reason behind a proxy's reason. It matters only
// where it tells of a failure that the proxy hides.
func readNative(raw string) (reason, bool) {
	switch r := readReason(raw); strings.ToLower(raw) {
	case "malformed_function_call", "unexpected_tool_call", "error":
		return r, true
	}
	return reason{}, false
}

// settle decides what the reason means for an answer with these calls and this
// refusal.
func (r reason) settle(calls int, refusal bool) providers.FinishReason {
	switch {
	case r.rank == rankWhole && refusal:
		return providers.FinishRefusal
	case r.rank == rankWhole && calls > 0:
		return providers.FinishToolCalls
	case r.rank == rankUnknown && calls == 0:
		return providers.FinishStop
	}
	return r.finish
}

// maxRawReason bounds the raw reason, in bytes.
const maxRawReason = 64
