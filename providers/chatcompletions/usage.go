package chatcompletions

import (
	"encoding/json"
	"strconv"

	"countersign/providers"
)

// usage is what a server counts. Servers differ in what they leave out, so
// nothing in it is required.
type usage struct {
	prompt, completion, total, cached, cacheHit, cacheWrite, reasoning *int64
}

// UnmarshalJSON never fails: a count of another type is not known.
func (u *usage) UnmarshalJSON(b []byte) error {
	var w struct {
		Prompt     count `json:"prompt_tokens"`
		Completion count `json:"completion_tokens"`
		Total      count `json:"total_tokens"`
		CacheHit   count `json:"prompt_cache_hit_tokens"`
		Details    loose[struct {
			Cached count `json:"cached_tokens"`
			Write  count `json:"cache_write_tokens"`
		}] `json:"prompt_tokens_details"`
		Output loose[struct {
			Reasoning count `json:"reasoning_tokens"`
		}] `json:"completion_tokens_details"`
	}
	_ = json.Unmarshal(b, &w)
	*u = usage{
		prompt: w.Prompt.n, completion: w.Completion.n, total: w.Total.n,
		cached: w.Details.v.Cached.n, cacheHit: w.CacheHit.n, cacheWrite: w.Details.v.Write.n,
		reasoning: w.Output.v.Reasoning.n,
	}
	return nil
}

// count is a number of tokens, unknown unless it is a whole number from 0.
type count struct{ n *int64 }

func (c *count) UnmarshalJSON(b []byte) error {
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil && n >= 0 {
		c.n = &n
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
