package web

import (
	"net/http"

	"countersign/models"
	"countersign/providers"
	"countersign/providers/practice"
	"countersign/views"
)

// listProviders shows every connection.
func (s *Server) listProviders(w http.ResponseWriter, r *http.Request) error {
	list, err := s.config.DB.Providers().List(r.Context())
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
			ID: p.ID, Name: p.Name, Models: len(p.Models), API: apiNames[p.API], Address: p.BaseURL, Test: s.tests.get(p.ID),
		}
		row.Credential, row.CredentialNote = credentialWords(p)
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

var apiNames = map[providers.API]string{
	providers.APIChatCompletions: "Chat Completions",
	providers.APIResponses:       "OpenAI Responses",
	providers.APIAnthropic:       "Anthropic Messages",
}

// credentialWords says where a key is, and what there is to know about that.
func credentialWords(p models.Provider) (where, note string) {
	switch p.Credential {
	case models.CredentialSealed:
		return "Sealed on this server", ""
	case models.CredentialEnv:
		return "Environment", p.CredentialEnv
	default:
		return "None", ""
	}
}
