package provision

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/agent"
	"countersign/web/check"
)

// safety reads what an agent's output has to pass. The list of guardrails takes
// the place of the one that is stored.
func (r *reader) safety(n *yaml.Node) (changes []func(*agent.Agent)) {
	change := func(set func(*agent.Safety)) {
		changes = append(changes, func(a *agent.Agent) { set(&a.Safety) })
	}
	r.mapping(n, "safety",
		field{"retries", func(n *yaml.Node) {
			retries := r.integer(n, "retries", 0, agent.MaxBlockedRetries)
			change(func(s *agent.Safety) { s.MaxRetries = &retries })
		}},
		field{"same_calls", func(n *yaml.Node) {
			calls := r.integer(n, "same_calls", 0, agent.MaxSameCalls)
			change(func(s *agent.Safety) { s.SameCalls = &calls })
		}},
		field{"ask", func(n *yaml.Node) {
			ask := r.boolean(n, "ask")
			change(func(s *agent.Safety) { s.Ask = ask })
		}},
		field{"guardrails", func(n *yaml.Node) {
			var list []agent.Guardrail
			r.list(n, func(n *yaml.Node) {
				g := r.guardrail(n)
				if slices.ContainsFunc(list, func(had agent.Guardrail) bool { return strings.EqualFold(had.Name, g.Name) }) {
					r.problem(n, "the name of a guardrail is there twice")
				}
				list = append(list, g)
			})
			if len(list) > agent.MaxGuardrails {
				r.problem(n, "an agent may have %d guardrails", agent.MaxGuardrails)
			}
			change(func(s *agent.Safety) { s.Guardrails = list })
		}},
	)
	return changes
}

// guardrail reads one item of guardrails. What it is follows from its fields.
func (r *reader) guardrail(n *yaml.Node) agent.Guardrail {
	var g agent.Guardrail
	var rule agent.ArgumentRule
	var hook agent.Webhook
	var over []agent.Subject
	text := func(name string, set func(string)) field {
		return field{name, func(n *yaml.Node) { set(strings.TrimSpace(r.text(n, name))) }}
	}
	at := r.mapping(n, "a guardrail",
		text("name", func(v string) { g.Name = v }),
		field{"pattern", func(n *yaml.Node) { g.Pattern = &agent.PatternRule{Pattern: r.text(n, "pattern")} }},
		field{"over", func(n *yaml.Node) {
			r.list(n, func(n *yaml.Node) { over = append(over, agent.Subject(r.text(n, "over"))) })
		}},
		text("tool", func(v string) { rule.Tool = v }),
		text("path", func(v string) { rule.Path = v }),
		text("do", func(v string) { rule.Do = agent.ArgumentVerb(v) }),
		field{"match", func(n *yaml.Node) { rule.Match = r.text(n, "match") }},
		field{"value", func(n *yaml.Node) { rule.Value = r.json(n, "value") }},
		text("webhook", func(v string) { hook.URL = v }),
		field{"timeout", func(n *yaml.Node) {
			hook.Timeout = r.duration(n, "timeout", agent.MinWebhook, agent.MaxWebhook)
		}},
		field{"allow_private_network", func(n *yaml.Node) { hook.AllowPrivateNetwork = r.boolean(n, "allow_private_network") }},
	)
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return at.fields[name] > 0 })
	}
	onArguments, onHook := has("tool", "path", "do", "match", "value"), has("webhook", "timeout", "allow_private_network")
	switch {
	case has("pattern") && (onArguments || onHook), onArguments && (onHook || has("over")), !has("pattern") && !onArguments && !onHook:
		r.problem(n, "a guardrail has a name and either pattern, or tool, path and do, or webhook")
		return g
	case has("pattern"):
		g.Pattern.Over = over
	case onArguments:
		g.Arguments = &rule
	default:
		hook.Over = over
		g.Webhook = &hook
		if problem := check.Webhook(hook.URL, hook.AllowPrivateNetwork); problem != "" && hook.URL != "" {
			r.problem(n, "webhook: %s", problem)
		}
	}
	problems := g.Problems()
	for _, field := range slices.Sorted(maps.Keys(problems)) {
		r.problem(n, "%s: %s", field, problems[field])
	}
	return g
}

// json reads any value and returns it as JSON.
func (r *reader) json(n *yaml.Node, what string) string {
	var v any
	if err := n.Decode(&v); err == nil && n.Kind != yaml.AliasNode {
		if data, err := json.Marshal(v); err == nil {
			return string(data)
		}
	}
	r.problem(n, "%s must be a value that JSON has", what)
	return "null"
}
