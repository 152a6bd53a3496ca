package provision

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/agent"
	"countersign/models"
	"countersign/web/check"
)

// agent reads one item of agents.
func (r *reader) agent(n *yaml.Node) {
	var s models.AgentSetup
	var changes []func(*agent.Agent)
	change := func(c func(*agent.Agent)) { changes = append(changes, c) }
	flag := func(name string, set func(*agent.Agent, bool)) field {
		return field{name, func(n *yaml.Node) {
			v := r.boolean(n, name)
			change(func(a *agent.Agent) { set(a, v) })
		}}
	}
	wait := func(name string, set func(*agent.Agent, time.Duration)) field {
		return field{name, func(n *yaml.Node) {
			d := r.duration(n, name, check.MinWait, check.MaxWait)
			change(func(a *agent.Agent) { set(a, d) })
		}}
	}
	at := r.mapping(n, "an agent",
		field{"name", func(n *yaml.Node) { s.Name = r.name(n, "the name of an agent") }},
		field{"instructions", func(n *yaml.Node) {
			text := r.text(n, "instructions")
			change(func(a *agent.Agent) { a.Instructions = text })
		}},
		field{"model", func(n *yaml.Node) { s.Model = r.agentModel(n, "model") }},
		field{"reviewer", func(n *yaml.Node) {
			if n.Kind == yaml.ScalarNode && n.Value == "none" {
				s.Reviewer = &models.SetupModel{}
			} else {
				s.Reviewer = r.agentModel(n, "reviewer")
			}
		}},
		field{"tools", func(n *yaml.Node) {
			list := r.tools(n)
			change(func(a *agent.Agent) { a.Tools = list })
		}},
		field{"output", func(n *yaml.Node) {
			r.mapping(n, "output",
				flag("reasoning", func(a *agent.Agent, on bool) { a.Output.Reasoning = on }),
				flag("buffer_attempts", func(a *agent.Agent, on bool) { a.Output.BufferAttempts = on }),
			)
		}},
		field{"safety", func(n *yaml.Node) { changes = append(changes, r.safety(n)...) }},
		field{"limits", func(n *yaml.Node) {
			r.mapping(n, "limits",
				field{"model_calls", func(n *yaml.Node) {
					calls := r.integer(n, "model_calls", 1, models.MaxModelCalls)
					change(func(a *agent.Agent) { a.Limits.ModelCalls = calls })
				}},
				wait("approval", func(a *agent.Agent, d time.Duration) { a.Limits.Approval = d }),
				wait("question", func(a *agent.Agent, d time.Duration) { a.Limits.Question = d }),
				field{"review", func(n *yaml.Node) {
					d := r.duration(n, "review", check.MinWait, agent.MaxReview)
					change(func(a *agent.Agent) { a.Limits.Review = d })
				}},
			)
		}},
	)
	if at.fields["name"] == 0 {
		r.problem(n, "an agent needs a name")
	}
	s.Change = func(a *agent.Agent) {
		for _, c := range changes {
			c(a)
		}
	}
	r.file.Setup.Agents = append(r.file.Setup.Agents, s)
	r.file.places[models.SectionAgents] = append(r.file.places[models.SectionAgents], at)
}

// agentModel reads which model of which provider an agent uses for something.
func (r *reader) agentModel(n *yaml.Node, what string) *models.SetupModel {
	var m models.SetupModel
	r.mapping(n, what,
		field{"provider", func(n *yaml.Node) { m.Provider = strings.TrimSpace(r.text(n, "provider")) }},
		field{"name", func(n *yaml.Node) { m.Name = strings.TrimSpace(r.text(n, "name")) }},
	)
	if n.Kind == yaml.MappingNode && (m.Provider == "" || m.Name == "") {
		r.problem(n, "%s needs a provider and a name", what)
	}
	return &m
}

// tools reads names of tools that there are.
func (r *reader) tools(n *yaml.Node) []string {
	list := []string{}
	r.list(n, func(n *yaml.Node) {
		name := r.text(n, "the name of a tool")
		switch {
		case name == "":
		case strings.HasPrefix(name, "mcp__"):
			// It may come with a connector later.
			list = append(list, name)
		case !slices.Contains(r.context.Tools, name):
			r.problem(n, "there is no tool %s; there are %s", quote(n), strings.Join(r.context.Tools, ", "))
		case slices.Contains(list, name):
			r.problem(n, "the tool %s is there twice", name)
		default:
			list = append(list, name)
		}
	})
	return list
}
