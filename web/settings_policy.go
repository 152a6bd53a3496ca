package web

import (
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/views"
)

// showPolicy shows the rules, and where to try them.
func (s *Server) showPolicy(w http.ResponseWriter, r *http.Request) error {
	return s.renderPolicy(w, r, http.StatusOK, views.PolicyTry{})
}

func (s *Server) renderPolicy(w http.ResponseWriter, r *http.Request, status int, try views.PolicyTry) error {
	policy, err := s.config.DB.Rules().Policy(r.Context())
	if err != nil {
		return err
	}
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "Policy", views.SectionPolicy)
	if err != nil {
		return err
	}
	props := views.PolicyProps{Page: page, Try: try}
	for _, rule := range policy {
		row := views.RuleRow{PolicyRule: rule}
		if i := slices.IndexFunc(agents, func(a agent.Agent) bool { return a.ID == rule.Agent }); i >= 0 {
			row.AgentName = agents[i].Name
		}
		props.Rows = append(props.Rows, row)
	}
	props.Try.Agents = agentOptions(agents)
	for _, t := range s.config.Engine.Tools() {
		props.Try.Tools = append(props.Try.Tools, views.Option{Value: t.Definition().Name, Label: t.Definition().Name})
	}
	return s.render(w, r, status, views.Policy(props))
}

func agentOptions(agents []agent.Agent) []views.Option {
	var list []views.Option
	for _, a := range agents {
		list = append(list, views.Option{Value: string(a.ID), Label: a.Name})
	}
	return list
}
