package provision

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/agent"
	"countersign/models"
)

// rule reads one item of policy. One without a name is named after what it
// says, so that applying it again finds it.
func (r *reader) rule(n *yaml.Node) {
	var s models.RuleSetup
	var read agent.PolicyRule // as far as the item says
	var changes []func(*agent.PolicyRule)
	text := func(name string, set func(*agent.PolicyRule, string)) field {
		return field{name, func(n *yaml.Node) {
			value := strings.TrimSpace(r.text(n, name))
			changes = append(changes, func(p *agent.PolicyRule) { set(p, value) })
		}}
	}
	at := r.mapping(n, "a rule",
		field{"name", func(n *yaml.Node) { s.Name = r.name(n, "the name of a rule") }},
		field{"agent", func(n *yaml.Node) {
			name := strings.TrimSpace(r.text(n, "agent"))
			s.Agent, read.Agent = &name, agent.AgentID(name)
		}},
		text("role", func(p *agent.PolicyRule, v string) { p.Role = agent.Role(v) }),
		text("connector", func(p *agent.PolicyRule, v string) { p.Connector = v }),
		text("tool", func(p *agent.PolicyRule, v string) { p.Tool = v }),
		field{"match", func(n *yaml.Node) {
			list := r.matches(n)
			changes = append(changes, func(p *agent.PolicyRule) { p.Match = list })
		}},
		text("verdict", func(p *agent.PolicyRule, v string) { p.Do = agent.PolicyVerb(v) }),
		field{"hard", func(n *yaml.Node) {
			hard := r.boolean(n, "hard")
			changes = append(changes, func(p *agent.PolicyRule) { p.Hard = hard })
		}},
	)
	s.Change = func(p *agent.PolicyRule) {
		for _, c := range changes {
			c(p)
		}
	}
	s.Change(&read)
	if at.fields["name"] == 0 {
		if at.fields["verdict"] == 0 {
			r.problem(n, "a rule without a name needs a verdict: allow, ask or deny")
		}
		s.Name = r.unique(n, "a rule that says the same", read.Summary())
	}
	read.Name = cmp.Or(s.Name, "-")
	if problem, wrong := read.Problems()["match"]; wrong {
		r.problem(n, "match: %s", problem)
	}
	r.file.Setup.Rules = append(r.file.Setup.Rules, s)
	r.file.places[models.SectionPolicy] = append(r.file.places[models.SectionPolicy], at)
}

// matches reads places in the arguments and what is there. A bare name is that
// of a member.
func (r *reader) matches(n *yaml.Node) []agent.ArgumentMatch {
	if !r.is(n, "!!map", "match", "a mapping of places to values") {
		return nil
	}
	var list []agent.ArgumentMatch
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" {
			r.problem(key, "match needs a value for each place, such as {sku: \"A-*\"}")
			continue
		}
		list = append(list, agent.MatchAt(key.Value, value.Value))
	}
	return list
}
