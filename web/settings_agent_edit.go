package web

import (
	"errors"
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// editAgent shows a stored agent.
func (s *Server) editAgent(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	return s.showAgent(w, r, http.StatusOK, saved, agentFormOf(saved), nil)
}

// updateAgent changes an agent. Conversations under way see it with their next
// run; their model stays.
func (s *Server) updateAgent(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	form, err := parseAgent(r)
	if err != nil {
		return err
	}
	list, err := s.agentModels(r, saved)
	if err != nil {
		return err
	}
	limits, problems := form.limits()
	i := slices.IndexFunc(list, func(o offer) bool { return o.value() == form.model })
	if i < 0 {
		problems["model"] = "This model is not offered. Choose another one."
	}
	if len(problems) > 0 {
		return s.showAgent(w, r, http.StatusUnprocessableEntity, saved, form, problems)
	}
	changed := saved
	changed.Name, changed.Instructions, changed.Model, changed.Limits = form.name, form.instructions, list[i].ref, limits
	changed.Output = agent.OutputOptions{Reasoning: form.reasoning, BufferAttempts: form.buffer}
	var invalid models.Invalid
	_, err = s.config.DB.Agents().Save(r.Context(), changed)
	if errors.As(err, &invalid) {
		return s.showAgent(w, r, http.StatusUnprocessableEntity, saved, form, invalid)
	}
	if err != nil {
		return err
	}
	return s.redirect(w, r, views.AgentURL(saved.ID), "Saved.")
}

// agentModels are the models to choose from: those that are offered, and the
// agent's own even if it is not.
func (s *Server) agentModels(r *http.Request, saved agent.Agent) ([]offer, error) {
	list, err := s.offers(r.Context())
	if err != nil {
		return nil, err
	}
	if own, offered := offerOf(list, saved.Model); !offered {
		list = append(list, own)
	}
	return list, nil
}

func (s *Server) showAgent(w http.ResponseWriter, r *http.Request, status int, saved agent.Agent, form agentForm, problems map[string]string) error {
	list, err := s.agentModels(r, saved)
	if err != nil {
		return err
	}
	page, err := s.page(r, saved.Name, views.SectionAgents)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := views.AgentForm{
		Page: page, ID: saved.ID, Heading: saved.Name, Name: form.name, Instructions: form.instructions, Model: form.model,
		Tools: saved.Tools, Reasoning: form.reasoning, BufferAttempts: form.buffer,
		Approval: form.approval, Question: form.question, ModelCalls: form.modelCalls,
		Errors: problems,
	}
	for _, o := range list {
		props.Models = append(props.Models, views.Option{Value: o.value(), Label: o.ref.Model, Group: o.ref.ProviderName})
	}
	return s.render(w, r, status, views.Agent(props))
}
