package anthropic

import (
	"countersign/providers"
	"countersign/providers/wire"
)

// wireUsage is what the API counts. Compatible servers leave some of it out.
type wireUsage struct {
	Input      wire.Count `json:"input_tokens"`
	CacheRead  wire.Count `json:"cache_read_input_tokens"`
	CacheWrite wire.Count `json:"cache_creation_input_tokens"`
	Output     wire.Count `json:"output_tokens"`
	Details    wire.Loose[struct {
		Thinking wire.Count `json:"thinking_tokens"`
	}] `json:"output_tokens_details"`
}

// usage is what was counted so far. Later counts replace earlier ones, field by
// field: they are of the whole answer.
type usage struct {
	input, cacheRead, cacheWrite, output, reasoning *int64
}

// begin takes the counts at the start of an answer. What they say of the output
// stands for nothing yet.
func (u *usage) begin(w wireUsage) {
	replace(&u.input, w.Input)
	replace(&u.cacheRead, w.CacheRead)
	replace(&u.cacheWrite, w.CacheWrite)
}

// update takes the counts of a later event. The thinking in them is of that
// event alone.
func (u *usage) update(w wireUsage) {
	u.begin(w)
	replace(&u.output, w.Output)
	u.reasoning = w.Details.V.Thinking.N
}

func replace(into **int64, c wire.Count) {
	if c.N != nil {
		*into = c.N
	}
}

// maxCount is the largest count that is taken for one.
const maxCount = 1 << 53

// counts translates. What the API calls input is without the cached part.
func (u usage) counts() providers.Usage {
	out := providers.Usage{CacheRead: u.cacheRead, CacheWrite: u.cacheWrite, Output: u.output, Reasoning: u.reasoning}
	if u.input == nil {
		return out
	}
	total := int64(0)
	for _, n := range []*int64{u.input, u.cacheRead, u.cacheWrite} {
		if n == nil {
			continue
		}
		if *n > maxCount {
			return out
		}
		total += *n
	}
	out.InputTotal = &total
	return out
}
