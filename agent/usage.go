package agent

import (
	"math"

	"countersign/providers"
)

// A Price is what a model costs, in US dollars per million tokens. A nil price
// of cached tokens is that of other input.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`
	CacheRead  *float64 `json:"cache_read,omitempty"`
	CacheWrite *float64 `json:"cache_write,omitempty"`
}

// Cost returns what the counts cost in billionths of a US dollar, nil where
// input or output was not counted. Tokens that the provider did not tell apart
// as cached are charged as other input.
func (p Price) Cost(u providers.Usage) *int64 {
	if u.InputTotal == nil || u.Output == nil {
		return nil
	}
	plain, cost := *u.InputTotal, 0.0
	for _, cached := range []struct {
		tokens *int64
		price  *float64
	}{{u.CacheRead, p.CacheRead}, {u.CacheWrite, p.CacheWrite}} {
		if cached.tokens != nil && cached.price != nil {
			plain -= *cached.tokens
			cost += float64(*cached.tokens) * *cached.price
		}
	}
	cost += float64(max(0, plain))*p.Input + float64(*u.Output)*p.Output
	nano := int64(math.Round(min(cost*1000, math.MaxInt64/2)))
	return &nano
}

// A Sum adds up counts of which some may be unknown: it is at least Known
// (contract P23, 2.21).
type Sum struct {
	Known   int64 `json:"known"`
	Counted int   `json:"counted"` // how many counts are in Known
	Unknown int   `json:"unknown"` // how many are not
}

func (s *Sum) add(n *int64) {
	if n == nil {
		s.Unknown++
		return
	}
	s.Counted++
	s.Known += *n
}

// A UsageTotal is what several attempts used, failed ones and those of rewound
// runs included: they were paid for.
type UsageTotal struct {
	Attempts   int `json:"attempts"`
	InputTotal Sum `json:"input_total"`
	CacheRead  Sum `json:"cache_read"`
	CacheWrite Sum `json:"cache_write"`
	Output     Sum `json:"output"`
	Reasoning  Sum `json:"reasoning"`
	Cost       Sum `json:"cost_nano_usd"`
}

// Add counts an attempt in.
func (t *UsageTotal) Add(u ModelUsage) {
	t.Attempts++
	t.InputTotal.add(u.InputTotal)
	t.CacheRead.add(u.CacheRead)
	t.CacheWrite.add(u.CacheWrite)
	t.Output.add(u.Output)
	t.Reasoning.add(u.Reasoning)
	t.Cost.add(u.CostNanoUSD)
}
