package chatcompletions

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/wire"
)

// usage is what a server counts. Servers differ in what they leave out, so
// nothing in it is required.
type usage struct {
	prompt, completion, total, cached, cacheHit, cacheWrite, reasoning *int64
}

// UnmarshalJSON never fails: a count of another type is not known.
func (u *usage) UnmarshalJSON(b []byte) error {
	var w struct {
		Prompt     wire.Count `json:"prompt_tokens"`
		Completion wire.Count `json:"completion_tokens"`
		Total      wire.Count `json:"total_tokens"`
		CacheHit   wire.Count `json:"prompt_cache_hit_tokens"`
		Details    wire.Loose[struct {
			Cached wire.Count `json:"cached_tokens"`
			Write  wire.Count `json:"cache_write_tokens"`
		}] `json:"prompt_tokens_details"`
		Output wire.Loose[struct {
			Reasoning wire.Count `json:"reasoning_tokens"`
		}] `json:"completion_tokens_details"`
	}
	_ = json.Unmarshal(b, &w)
	*u = usage{
		prompt: w.Prompt.N, completion: w.Completion.N, total: w.Total.N,
		cached: w.Details.V.Cached.N, cacheHit: w.CacheHit.N, cacheWrite: w.Details.V.Write.N,
		reasoning: w.Output.V.Reasoning.N,
	}
	return nil
}

// counts translates. A total above the sum of its parts means that reasoning
// was not counted as output, so it is added.
func (u usage) counts() providers.Usage {
	out := providers.Usage{
		InputTotal: u.prompt,
		CacheRead:  u.cached,
		CacheWrite: u.cacheWrite,
		Output:     u.completion,
		Reasoning:  u.reasoning,
	}
	if out.CacheRead == nil {
		out.CacheRead = u.cacheHit
	}
	if u.prompt == nil || u.completion == nil || u.total == nil {
		return out
	}
	if rest := *u.total - *u.prompt; rest > *u.completion {
		reasoning := rest - *u.completion
		out.Output = &rest
		if out.Reasoning == nil {
			out.Reasoning = &reasoning
		}
	}
	return out
}
