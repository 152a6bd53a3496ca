package models

import "countersign/agent"

// usageColumns adds the counts up, and says how many of each are known.
const usageColumns = `count(*) AS attempts,
	coalesce(sum(input_total), 0) AS input_total_known, count(input_total) AS input_total_counted,
	coalesce(sum(cache_read), 0) AS cache_read_known, count(cache_read) AS cache_read_counted,
	coalesce(sum(cache_write), 0) AS cache_write_known, count(cache_write) AS cache_write_counted,
	coalesce(sum(output), 0) AS output_known, count(output) AS output_counted,
	coalesce(sum(reasoning), 0) AS reasoning_known, count(reasoning) AS reasoning_counted,
	coalesce(sum(cost_nano_usd), 0) AS cost_known, count(cost_nano_usd) AS cost_counted`

// usageSums are the columns of usageColumns.
type usageSums struct {
	Attempts                           int
	InputTotalKnown, InputTotalCounted int64
	CacheReadKnown, CacheReadCounted   int64
	CacheWriteKnown, CacheWriteCounted int64
	OutputKnown, OutputCounted         int64
	ReasoningKnown, ReasoningCounted   int64
	CostKnown, CostCounted             int64
}

func (s usageSums) total() agent.UsageTotal {
	sum := func(known, counted int64) agent.Sum {
		return agent.Sum{Known: known, Counted: int(counted), Unknown: s.Attempts - int(counted)}
	}
	return agent.UsageTotal{
		Attempts:   s.Attempts,
		InputTotal: sum(s.InputTotalKnown, s.InputTotalCounted),
		CacheRead:  sum(s.CacheReadKnown, s.CacheReadCounted),
		CacheWrite: sum(s.CacheWriteKnown, s.CacheWriteCounted),
		Output:     sum(s.OutputKnown, s.OutputCounted),
		Reasoning:  sum(s.ReasoningKnown, s.ReasoningCounted),
		Cost:       sum(s.CostKnown, s.CostCounted),
	}
}
