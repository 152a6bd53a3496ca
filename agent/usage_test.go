package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

func TestPriceCost(t *testing.T) {
	t.Parallel()
	price := func(dollars float64) *float64 { return &dollars }
	plain := agent.Price{Input: 3, Output: 15}
	cached := agent.Price{Input: 3, Output: 15, CacheRead: price(0.3), CacheWrite: price(3.75)}
	all := providers.Usage{InputTotal: count(1000), CacheRead: count(600), CacheWrite: count(100), Output: count(10), Reasoning: count(4)}
	tests := map[string]struct {
		price agent.Price
		usage providers.Usage
		want  *int64 // in billionths of a dollar
	}{
		"input and output":            {plain, providers.Usage{InputTotal: count(1000), Output: count(10)}, count(3_150_000)},
		"cached tokens like others":   {plain, all, count(3_150_000)},
		"cached tokens at their own":  {cached, all, count(300*3000 + 600*300 + 100*3750 + 10*15000)},
		"cached tokens not told":      {cached, providers.Usage{InputTotal: count(1000), Output: count(10)}, count(3_150_000)},
		"free":                        {agent.Price{}, all, count(0)},
		"no input count":              {plain, providers.Usage{Output: count(10)}, nil},
		"no output count":             {plain, providers.Usage{InputTotal: count(10)}, nil},
		"more cached than there is":   {cached, providers.Usage{InputTotal: count(1), CacheRead: count(5), Output: count(0)}, count(1500)},
		"a fraction of a billionth":   {agent.Price{Input: 0.0004}, providers.Usage{InputTotal: count(1), Output: count(0)}, count(0)},
		"half a billionth rounds up":  {agent.Price{Input: 0.0005}, providers.Usage{InputTotal: count(1), Output: count(0)}, count(1)},
		"reasoning is paid as output": {plain, providers.Usage{InputTotal: count(0), Output: count(1), Reasoning: count(1)}, count(15000)},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.price.Cost(test.usage)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What one attempt did not say makes the sum a lower bound and no more.
func TestUsageTotalKeepsUnknownApart(t *testing.T) {
	t.Parallel()
	var got agent.UsageTotal
	got.Add(agent.ModelUsage{Usage: providers.Usage{InputTotal: count(7), Output: count(0)}, CostNanoUSD: count(5)})
	got.Add(agent.ModelUsage{})
	want := agent.UsageTotal{
		Attempts:   2,
		InputTotal: agent.Sum{Known: 7, Counted: 1, Unknown: 1},
		CacheRead:  agent.Sum{Unknown: 2},
		CacheWrite: agent.Sum{Unknown: 2},
		Output:     agent.Sum{Counted: 1, Unknown: 1},
		Reasoning:  agent.Sum{Unknown: 2},
		Cost:       agent.Sum{Known: 5, Counted: 1, Unknown: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
