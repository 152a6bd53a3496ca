package web

import (
	"errors"
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// createAgent adds an agent.
func (s *Server) createAgent(w http.ResponseWriter, r *http.Request) error {
	return s.saveAgent(w, r, agent.Agent{})
}

// updateAgent changes an agent. Conversations under way see it with their next
// run; their model stays.
func (s *Server) updateAgent(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	return s.saveAgent(w, r, saved)
}

// saveAgent stores what was typed, or shows it again with what is wrong.
func (s *Server) saveAgent(w http.ResponseWriter, r *http.Request, saved agent.Agent) error {
	form, err := parseAgent(r)
	if err != nil {
		return err
	}
	list, err := s.agentModels(r, saved)
	if err != nil {
		return err
	}
	limits, problems := form.limits()
	changed := saved
	changed.Safety = form.safety(saved.Safety, problems)
	changed.Name, changed.Instructions, changed.Limits, changed.Tools = form.name, form.instructions, limits, form.tools
	changed.Output = agent.OutputOptions{Reasoning: form.reasoning, BufferAttempts: form.buffer}
	if i := slices.IndexFunc(list, func(o offer) bool { return o.value() == form.model }); i >= 0 {
		changed.Model = list[i].ref
	} else {
		problems["model"] = "This model is not offered. Choose another one."
	}
	changed.Reviewer = agent.ModelRef{}
	if form.reviewer != "" {
		if i := slices.IndexFunc(list, func(o offer) bool { return o.value() == form.reviewer }); i >= 0 {
			changed.Reviewer = list[i].ref
		} else {
			problems["reviewer"] = "This model is not offered. Choose another one, or none."
		}
	}
	connectors, err := s.config.DB.Connectors().List(r.Context())
	if err != nil {
		return err
	}
	there := s.toolChoices(saved, nil, connectors)
	for _, name := range form.tools {
		if !slices.ContainsFunc(there, func(c views.ToolChoice) bool { return c.Name == name }) {
			problems["tools"] = "Choose from the tools that exist."
		}
	}
	if len(problems) > 0 {
		return s.showAgent(w, r, http.StatusUnprocessableEntity, saved, form, problems)
	}
	var invalid models.Invalid
	if saved.ID == "" {
		changed, err = s.config.DB.Agents().Save(r.Context(), changed)
	} else {
		err = s.config.DB.Agents().Change(r.Context(), saved.ID, func(a *agent.Agent) error {
			changed.Safety.Guardrails = a.Safety.Guardrails // they have pages of their own
			*a = changed
			return nil
		})
	}
	if errors.As(err, &invalid) {
		return s.showAgent(w, r, http.StatusUnprocessableEntity, saved, form, invalid)
	}
	if err != nil {
		return err
	}
	return s.redirect(w, r, views.AgentURL(changed.ID), "Saved.")
}
