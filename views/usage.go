package views

import (
	"fmt"

	"countersign/agent"
)

// unknownWord stands where nobody told: never a zero, never a dash.
const unknownWord = "unknown"

type usageColumn struct{ label, value string }

// usageColumns are the figures of a total. Costs and the tokens written to a
// cache are shown where any of the whole is known.
func usageColumns(t, whole agent.UsageTotal) []usageColumn {
	list := []usageColumn{
		{"Attempts", number(int64(t.Attempts))},
		{"Input tokens", sumWords(t.InputTotal, number)},
		{"of which cached", sumWords(t.CacheRead, number)},
	}
	if whole.CacheWrite.Known > 0 {
		list = append(list, usageColumn{"written to cache", sumWords(t.CacheWrite, number)})
	}
	list = append(list, usageColumn{"Output tokens", sumWords(t.Output, number)})
	if whole.Reasoning.Known > 0 {
		list = append(list, usageColumn{"of which reasoning", sumWords(t.Reasoning, number)})
	}
	if whole.Cost.Counted > 0 {
		list = append(list, usageColumn{"Cost", sumWords(t.Cost, dollars)})
	}
	return list
}

// sumWords writes a sum: what is not wholly known is at least so much
// (contract P23).
func sumWords(s agent.Sum, write func(int64) string) string {
	switch {
	case s.Unknown == 0:
		return write(s.Known)
	case s.Counted == 0:
		return unknownWord
	}
	return "at least " + write(s.Known)
}

// dollars writes billionths of a dollar: $1,204.50, $0.0312, under $0.0001.
func dollars(nano int64) string {
	const tenthOfMilli, cent, dollar = 100_000, 10_000_000, 1_000_000_000
	switch {
	case nano == 0:
		return "$0.00"
	case nano < tenthOfMilli:
		return "under $0.0001"
	case nano < 10*cent:
		return fmt.Sprintf("$0.%04d", (nano+tenthOfMilli/2)/tenthOfMilli)
	}
	cents := (nano + cent/2) / cent
	return fmt.Sprintf("$%s.%02d", number(cents/(dollar/cent)), cents%(dollar/cent))
}
