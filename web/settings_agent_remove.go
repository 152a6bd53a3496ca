package web

import (
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// confirmAgentRemoval says what removing an agent takes away.
func (s *Server) confirmAgentRemoval(w http.ResponseWriter, r *http.Request) error {
	a, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	all, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	n, err := s.config.DB.Agents().Conversations(r.Context(), a.ID)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Remove an agent", views.SectionAgents)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.AgentRemoval(views.AgentRemovalProps{
		Page: page, ID: a.ID, Name: a.Name, Conversations: n, Last: len(all) == 1,
	}))
}

// removeAgent removes an agent. Its conversations stay readable.
func (s *Server) removeAgent(w http.ResponseWriter, r *http.Request) error {
	a, err := s.config.DB.Agents().Get(r.Context(), agent.AgentID(r.PathValue("agent")))
	if err != nil {
		return err
	}
	if err := s.config.DB.Agents().Remove(r.Context(), a.ID); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "agent removed", "request", requestOf(r.Context()).id, "agent", a.ID, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.AgentsURL, a.Name+" was removed.")
}
