package web

import (
	"net/http"

	"countersign/models"
	"countersign/views"
)

// confirmRemoval says what removing a connection takes away.
func (s *Server) confirmRemoval(w http.ResponseWriter, r *http.Request) error {
	p, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	page, err := s.page(r, "Remove a provider", views.SectionProviders)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := views.RemovalProps{Page: page, ID: p.ID, Name: p.Name}
	switch p.Credential {
	case models.CredentialSealed, models.CredentialMemory, models.CredentialKeychain:
		props.KeySaved = true
	}
	if props.Conversations, err = s.config.DB.Conversations().CountByProvider(r.Context(), p.ID); err != nil {
		return err
	}
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	for _, a := range agents {
		if a.Model.Provider == p.ID || a.Reviewer.Provider == p.ID {
			props.Agents = append(props.Agents, a.Name)
		}
	}
	return s.render(w, r, http.StatusOK, views.Removal(props))
}

// deleteProvider removes a connection and erases its key. Conversations keep
// what was said.
func (s *Server) deleteProvider(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("provider")
	gone, err := s.config.DB.Providers().Get(r.Context(), id)
	if err != nil {
		return err
	}
	if err := s.config.DB.Providers().Delete(r.Context(), id); err != nil {
		return err
	}
	s.health.drop(id)
	moved, err := s.keepAgentUsable(r.Context(), false)
	if err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "provider removed", "request", requestOf(r.Context()).id, "provider", id, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.ProvidersURL, gone.Name+" was removed."+movedWords(moved))
}
