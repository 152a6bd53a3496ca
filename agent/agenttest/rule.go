package agenttest

import (
	"fmt"
	"strings"

	"countersign/agent"
)

// parseRule reads a rule of policy; see [ParseOptions].
func parseRule(verb, name string, words []string) (agent.PolicyRule, error) {
	if verb == "forbid" {
		if len(words) > 0 {
			return agent.PolicyRule{}, fmt.Errorf("forbid names one tool")
		}
		return agent.PolicyRule{Name: "no " + name, Do: agent.PolicyDeny, Hard: true, Tool: name}, nil
	}
	r := agent.PolicyRule{Name: name, Do: agent.PolicyVerb(shift(&words)), Tool: shift(&words)}
	if r.Do == "forbid" {
		r.Do, r.Hard = agent.PolicyDeny, true
	}
	for _, w := range words {
		part, value, _ := strings.Cut(w, "=")
		switch {
		case part == "role":
			r.Role = agent.Role(value)
		case part == "agent":
			r.Agent = agent.AgentID(value)
		case part == "connector":
			r.Connector = value
		case strings.HasPrefix(part, "$"):
			r.Match = append(r.Match, agent.ArgumentMatch{Path: part, Pattern: value})
		default:
			return r, fmt.Errorf("a rule has no part %q", w)
		}
	}
	for field, problem := range r.Problems() {
		return r, fmt.Errorf("%s: %s", field, problem)
	}
	return r, nil
}
