package web

import (
	"net/http"

	"countersign/models"
	"countersign/views"
)

// showHome is where a person starts: the page of a new conversation. An admin
// of a server without a provider is led to one first, because no conversation
// can start without it.
func (s *Server) showHome(w http.ResponseWriter, r *http.Request) error {
	if user, _ := currentUser(r.Context()); user.Role == models.RoleAdmin {
		list, err := s.config.DB.Providers().List(r.Context())
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return s.redirect(w, r, views.WelcomeURL, "")
		}
	}
	return s.newConversation(w, r)
}

// showWelcome leads an admin to the first provider.
func (s *Server) showWelcome(w http.ResponseWriter, r *http.Request) error {
	page, err := s.page(r, "Set up Countersign", "")
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Welcome(page))
}

// showSettings leads to the first page of the settings.
func (s *Server) showSettings(w http.ResponseWriter, r *http.Request) error {
	return s.redirect(w, r, views.ProvidersURL, "")
}
