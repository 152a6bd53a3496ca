package web

import (
	"net/http"

	"countersign/models"
	"countersign/providers/practice"
	"countersign/views"
)

// listProviders shows every connection.
func (s *Server) listProviders(w http.ResponseWriter, r *http.Request) error {
	list, err := s.config.DB.Providers().List(r.Context())
	if err != nil {
		return err
	}
	keys, err := s.config.DB.Providers().KeyStates(r.Context())
	if err != nil {
		return err
	}
	agents, err := s.config.DB.Agents().List(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, "Providers", views.SectionProviders)
	if err != nil {
		return err
	}
	props := views.ProvidersProps{Page: page, CanPractice: true}
	for _, p := range list {
		row := views.ProviderRow{
			ID: p.ID, Name: p.Name, Models: len(p.Models), API: views.APIWords(string(p.API)), Address: p.BaseURL, Health: s.health.state(p.ID),
			Credential: views.CredentialWords(string(p.Credential)), CredentialNote: keyNote(p, keys[p.ID]), NeedsKey: !keys[p.ID].Present,
		}
		for _, a := range agents {
			if a.Model.Provider == p.ID || a.Reviewer.Provider == p.ID {
				row.Agents++
			}
		}
		if isPractice(p) {
			row.Practice, row.Address, row.Credential = true, "", "None needed"
			props.CanPractice = false
		}
		props.Rows = append(props.Rows, row)
	}
	return s.render(w, r, http.StatusOK, views.Providers(props))
}

// isPractice reports whether a provider is the scripted one.
func isPractice(p models.Provider) bool { return p.BaseURL == practice.Address }

// keyNote says what there is to know about where a key is.
func keyNote(p models.Provider, key models.KeyState) string {
	switch {
	case key.Kind == models.CredentialEnv:
		return p.CredentialEnv
	case key.Kind == models.CredentialCommand && len(p.CredentialCommand.Argv) > 0:
		return p.CredentialCommand.Argv[0]
	case key.Kind == models.CredentialMemory && !key.Present:
		return "not entered since the restart"
	case key.Hint != "":
		return "ends in …" + key.Hint
	}
	return ""
}
