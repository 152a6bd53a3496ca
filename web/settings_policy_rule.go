package web

import (
	"errors"
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// newRule shows the form for another rule.
func (s *Server) newRule(w http.ResponseWriter, r *http.Request) error {
	return s.showRule(w, r, http.StatusOK, agent.PolicyRule{}, ruleForm{}, nil)
}

// editRule shows a stored rule.
func (s *Server) editRule(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Rules().Get(r.Context(), agent.RuleID(r.PathValue("rule")))
	if err != nil {
		return err
	}
	return s.showRule(w, r, http.StatusOK, saved, ruleFormOf(saved), nil)
}

func (s *Server) showRule(w http.ResponseWriter, r *http.Request, status int, saved agent.PolicyRule, form ruleForm, problems map[string]string) error {
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	heading := saved.Name
	if saved.ID == "" {
		heading = "New rule"
	}
	page, err := s.page(r, heading, views.SectionPolicy)
	if err != nil {
		return err
	}
	page.Narrow = true
	options := append([]views.Option{{Label: "Any agent"}}, agentOptions(agents)...)
	if !slices.ContainsFunc(options, func(o views.Option) bool { return o.Value == string(saved.Agent) }) {
		options = append(options, views.Option{Value: string(saved.Agent), Label: "An agent that was removed"})
	}
	return s.render(w, r, status, views.Rule(views.RuleForm{
		Page: page, ID: saved.ID, Heading: heading, Name: form.name, Then: form.then, Tool: form.tool, Connector: form.connector,
		Match: form.match, Role: form.role, Agent: form.agent, Agents: options, Errors: problems,
	}))
}

// createRule adds a rule.
func (s *Server) createRule(w http.ResponseWriter, r *http.Request) error {
	return s.saveRule(w, r, agent.PolicyRule{})
}

// updateRule changes a rule, for the calls that come after it.
func (s *Server) updateRule(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Rules().Get(r.Context(), agent.RuleID(r.PathValue("rule")))
	if err != nil {
		return err
	}
	return s.saveRule(w, r, saved)
}

// saveRule stores what was typed, or shows it again with what is wrong.
func (s *Server) saveRule(w http.ResponseWriter, r *http.Request, saved agent.PolicyRule) error {
	form, err := parseRule(r)
	if err != nil {
		return err
	}
	rule := form.rule(saved.ID)
	problems := make(map[string]string)
	if rule.Agent != "" && rule.Agent != saved.Agent {
		if _, err := s.config.DB.Agents().Get(r.Context(), rule.Agent); errors.Is(err, models.ErrNotFound) {
			problems["agent"] = "Choose from the agents that exist."
		} else if err != nil {
			return err
		}
	}
	if len(problems) == 0 {
		var invalid models.Invalid
		rule, err = s.config.DB.Rules().Save(r.Context(), rule)
		if errors.As(err, &invalid) {
			problems = invalid
		} else if err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return s.showRule(w, r, http.StatusUnprocessableEntity, saved, form, problems)
	}
	s.log.InfoContext(r.Context(), "policy rule saved", "request", requestOf(r.Context()).id, "rule", rule.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.PolicyURL, rule.Name+" was saved.")
}

// confirmRuleRemoval says what removing a rule changes.
func (s *Server) confirmRuleRemoval(w http.ResponseWriter, r *http.Request) error {
	rule, err := s.config.DB.Rules().Get(r.Context(), agent.RuleID(r.PathValue("rule")))
	if err != nil {
		return err
	}
	page, err := s.page(r, "Remove a rule", views.SectionPolicy)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.RuleRemoval(views.RuleRemovalProps{Page: page, ID: rule.ID, Name: rule.Name, Deny: rule.Do == agent.PolicyDeny}))
}

// removeRule removes a rule.
func (s *Server) removeRule(w http.ResponseWriter, r *http.Request) error {
	rule, err := s.config.DB.Rules().Get(r.Context(), agent.RuleID(r.PathValue("rule")))
	if err != nil {
		return err
	}
	if err := s.config.DB.Rules().Remove(r.Context(), rule.ID); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "policy rule removed", "request", requestOf(r.Context()).id, "rule", rule.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.PolicyURL, rule.Name+" was removed.")
}
