package web

import (
	"net/http"
	"strings"

	"countersign/agent"
	"countersign/views"
)

// A ruleForm is what the page of a rule of policy sends.
type ruleForm struct {
	name      string
	then      string // a verb, or [views.RuleHard]
	tool      string
	connector string
	match     string // a place and a value a line
	role      string
	agent     string
}

func parseRule(r *http.Request) (ruleForm, error) {
	if err := readForm(r); err != nil {
		return ruleForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(lineFeeds(r.PostFormValue(name))) }
	return ruleForm{
		name: text("name"), then: text("then"), tool: text("tool"), connector: text("connector"),
		match: text("match"), role: text("role"), agent: text("agent"),
	}, nil
}

// ruleFormOf is the form of a stored rule.
func ruleFormOf(r agent.PolicyRule) ruleForm {
	f := ruleForm{name: r.Name, then: string(r.Do), tool: r.Tool, connector: r.Connector, role: string(r.Role), agent: string(r.Agent)}
	if r.Hard {
		f.then = views.RuleHard
	}
	var lines []string
	for _, m := range r.Match {
		lines = append(lines, m.Path+" = "+m.Pattern)
	}
	f.match = strings.Join(lines, "\n")
	return f
}

// rule reads the form into a rule; whether it is a good one is for storage to
// say.
func (f ruleForm) rule(id agent.RuleID) agent.PolicyRule {
	r := agent.PolicyRule{
		ID: id, Name: f.name, Do: agent.PolicyVerb(f.then), Tool: f.tool, Connector: f.connector,
		Role: agent.Role(f.role), Agent: agent.AgentID(f.agent),
	}
	if f.then == views.RuleHard {
		r.Do, r.Hard = agent.PolicyDeny, true
	}
	for line := range strings.Lines(f.match) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		place, pattern, found := strings.Cut(line, " = ")
		if !found {
			place, pattern, _ = strings.Cut(line, "=")
		}
		r.Match = append(r.Match, agent.MatchAt(strings.TrimSpace(place), strings.TrimSpace(pattern)))
	}
	return r
}
