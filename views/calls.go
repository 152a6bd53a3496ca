package views

import (
	"slices"
	"strings"

	"countersign/agent"
)

// callsApart is how many calls in a row are shown one by one.
const callsApart = 3

func unfinished(c *agent.CallItem) bool { return c.State != agent.CallFinished }

// callsStep is the mark of calls in a row: the most urgent of theirs.
func callsStep(i *agent.CallsItem) stepProps {
	step := callStep(i.Calls[0])
	for _, c := range i.Calls {
		if unfinished(c) {
			return callStep(c)
		}
		if failed(c) {
			step = callStep(c)
		}
	}
	return step
}

func failed(c *agent.CallItem) bool { return !unfinished(c) && c.Outcome != agent.CallOK }

// callsWords sum calls in a row up: how many, of which tools, and what is not
// well with them.
func callsWords(i *agent.CallsItem) string {
	var tools []string
	var bad, running int
	for _, c := range i.Calls {
		if !slices.Contains(tools, toolTitle(c)) {
			tools = append(tools, toolTitle(c))
		}
		if unfinished(c) {
			running++
		}
		if failed(c) {
			bad++
		}
	}
	words := count(len(i.Calls), "call") + " of " + Plain(leading(tools[0], maxToolInSummary))
	if n := len(tools) - 1; n > 0 {
		words += " and " + count(n, "other tool")
	}
	parts := []string{words}
	if running > 0 {
		parts = append(parts, number(int64(running))+" running")
	}
	if bad > 0 {
		parts = append(parts, number(int64(bad))+" failed or not run")
	}
	return strings.Join(parts, ", ")
}

// maxToolInSummary is how many bytes of a tool's name a summary shows.
const maxToolInSummary = 80
