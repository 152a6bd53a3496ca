package web

import (
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/views"
)

// newProvider shows an empty form.
func (s *Server) newProvider(w http.ResponseWriter, r *http.Request) error {
	return s.showProvider(w, r, http.StatusOK, views.ProviderForm{
		Heading: "New provider", Credential: views.CredentialSealed, StreamUsage: true,
	})
}

// editProvider shows a stored provider.
func (s *Server) editProvider(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	return s.showProvider(w, r, http.StatusOK, s.savedProps(saved))
}

func (s *Server) showProvider(w http.ResponseWriter, r *http.Request, status int, props views.ProviderForm) error {
	page, err := s.page(r, props.Heading, views.SectionProviders)
	if err != nil {
		return err
	}
	page.Narrow = true
	props.Page = page
	return s.render(w, r, status, views.Provider(props))
}

// savedProps shows a provider as it is stored.
func (s *Server) savedProps(p models.Provider) views.ProviderForm {
	props := views.ProviderForm{
		ID: p.ID, Heading: p.Name, Name: p.Name, BaseURL: p.BaseURL, Private: p.AllowPrivateNetwork,
		Credential: string(p.Credential), EnvName: p.CredentialEnv, KeySaved: p.Credential == models.CredentialSealed,
		StreamUsage: p.StreamUsage == nil || *p.StreamUsage,
		Practice:    isPractice(p), Test: s.tests.get(p.ID),
	}
	if p.MaxOutputTokens > 0 {
		props.MaxOutput = strconv.Itoa(p.MaxOutputTokens)
	}
	names := make([]string, len(p.Models))
	for i, model := range p.Models {
		names[i] = model.Name
	}
	props.Models = strings.Join(names, "\n")
	return props
}

// typedProps shows the form again as it was typed, without the key. saved is
// the provider as it is stored, nil for a new one.
func (s *Server) typedProps(f providerForm, saved *models.Provider, problems map[string]string) views.ProviderForm {
	props := views.ProviderForm{Heading: "New provider"}
	if saved != nil {
		props = s.savedProps(*saved)
	}
	props.Name, props.BaseURL, props.Private = f.name, f.baseURL, f.private
	props.Credential, props.EnvName = f.credential, f.env
	props.Models, props.StreamUsage, props.MaxOutput = strings.Join(f.models, "\n"), f.streamUsage, f.maxOutput
	props.Errors = problems
	return props
}
