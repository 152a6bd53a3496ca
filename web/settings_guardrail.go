package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// guardrailOf returns a guardrail of an agent by its name, and its place from 0.
func guardrailOf(a agent.Agent, name string) (agent.Guardrail, int, error) {
	i := slices.IndexFunc(a.Safety.Guardrails, func(g agent.Guardrail) bool { return g.Name == name })
	if i < 0 {
		return agent.Guardrail{}, 0, models.ErrNotFound
	}
	return a.Safety.Guardrails[i], i, nil
}

// editGuardrail shows a guardrail of an agent, or the form for a new one of a
// kind.
func (s *Server) editGuardrail(w http.ResponseWriter, r *http.Request) error {
	a, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	query := r.URL.Query()
	form := guardrailForm{how: agent.GuardrailKind(query.Get("kind")), place: strconv.Itoa(len(a.Safety.Guardrails) + 1), over: agent.Subjects}
	if query.Has("name") {
		g, at, err := guardrailOf(a, query.Get("name"))
		if err != nil {
			return err
		}
		form = guardrailFormOf(g, at+1)
	}
	return s.showGuardrail(w, r, http.StatusOK, a, form, nil)
}

func (s *Server) showGuardrail(w http.ResponseWriter, r *http.Request, status int, a agent.Agent, form guardrailForm, problems map[string]string) error {
	title := form.was
	if title == "" {
		title = "New guardrail"
	}
	page, err := s.page(r, title, views.SectionAgents)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := form.props(a, problems)
	props.Page = page
	return s.render(w, r, status, views.Guardrail(props))
}

// saveGuardrail stores what was typed, or shows it again with what is wrong.
func (s *Server) saveGuardrail(w http.ResponseWriter, r *http.Request) error {
	form, err := parseGuardrail(r)
	if err != nil {
		return err
	}
	var now agent.Agent
	g, problems := form.guardrail()
	err = s.config.DB.Agents().Change(r.Context(), agent.AgentID(r.PathValue("agent")), func(a *agent.Agent) error {
		now = *a
		if form.was != "" {
			if _, _, err := guardrailOf(*a, form.was); err != nil {
				return err
			}
		}
		list, wrong := form.put(a.Safety.Guardrails, g)
		for field, problem := range wrong {
			problems[field] = problem
		}
		if len(problems) > 0 {
			return models.Invalid(problems)
		}
		a.Safety.Guardrails = list
		return nil
	})
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return s.showGuardrail(w, r, http.StatusUnprocessableEntity, now, form, invalid)
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "guardrail saved", "request", requestOf(r.Context()).id, "agent", now.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.AgentURL(now.ID), g.Name+" was saved.")
}

// confirmGuardrailRemoval says what removing a guardrail changes.
func (s *Server) confirmGuardrailRemoval(w http.ResponseWriter, r *http.Request) error {
	a, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	g, _, err := guardrailOf(a, r.URL.Query().Get("name"))
	if err != nil {
		return err
	}
	page, err := s.page(r, "Remove a guardrail", views.SectionAgents)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.GuardrailRemoval(views.GuardrailRemovalProps{Page: page, Agent: a.ID, Name: g.Name, Last: len(a.Safety.Guardrails) == 1}))
}

// removeGuardrail removes a guardrail.
func (s *Server) removeGuardrail(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(r); err != nil {
		return err
	}
	id, name := agent.AgentID(r.PathValue("agent")), r.PostFormValue("name")
	err := s.config.DB.Agents().Change(r.Context(), id, func(a *agent.Agent) error {
		_, at, err := guardrailOf(*a, name)
		if err == nil {
			a.Safety.Guardrails = slices.Delete(slices.Clone(a.Safety.Guardrails), at, at+1)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "guardrail removed", "request", requestOf(r.Context()).id, "agent", id, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.AgentURL(id), name+" was removed.")
}
