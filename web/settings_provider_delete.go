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
	return s.render(w, r, http.StatusOK, views.Removal(views.RemovalProps{
		Page: page, ID: p.ID, Name: p.Name, KeySaved: p.Credential == models.CredentialSealed,
	}))
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
	s.tests.drop(id)
	if err := s.keepAgentUsable(r.Context(), false); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "provider removed", "request", requestOf(r.Context()).id, "provider", id, "user", requestOf(r.Context()).user)
	return s.redirect(w, r, views.ProvidersURL, gone.Name+" was removed.")
}
