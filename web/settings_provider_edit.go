package web

import (
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/views"
)

// newProvider asks what to connect to, and then shows a form that begins with
// what is known of it.
func (s *Server) newProvider(w http.ResponseWriter, r *http.Request) error {
	if chosen, ok := presetOf(r.URL.Query().Get("preset")); ok {
		values := chosen.values
		if chosen.Name != "custom" {
			values.Name = chosen.title
		}
		return s.showProvider(w, r, http.StatusOK, s.newProps(chosen.Name, values))
	}
	page, err := s.page(r, "Add provider", views.SectionProviders)
	if err != nil {
		return err
	}
	page.Narrow = true
	props := views.NewProviderProps{Page: page}
	for _, p := range presets() {
		props.Presets = append(props.Presets, p.Preset)
	}
	return s.render(w, r, http.StatusOK, views.NewProvider(props))
}

// newProps is the form of a provider that is not stored yet.
func (s *Server) newProps(name string, values views.ProviderValues) views.ProviderForm {
	chosen, ok := presetOf(name)
	if !ok {
		chosen, _ = presetOf("custom")
	}
	return views.ProviderForm{
		Heading: chosen.title, Preset: chosen.Name, AnyAPI: chosen.Name == "custom",
		Values: values, Hint: chosen.hint, Keychain: s.config.DB.HasKeychain(),
	}
}

// editProvider shows a stored provider.
func (s *Server) editProvider(w http.ResponseWriter, r *http.Request) error {
	saved, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	props, err := s.savedProps(r, saved)
	if err != nil {
		return err
	}
	return s.showProvider(w, r, http.StatusOK, props)
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
func (s *Server) savedProps(r *http.Request, p models.Provider) (views.ProviderForm, error) {
	key, err := s.config.DB.Providers().KeyState(r.Context(), p.ID)
	if err != nil {
		return views.ProviderForm{}, err
	}
	return views.ProviderForm{
		ID: p.ID, Heading: p.Name, Values: valuesOf(p), Practice: isPractice(p), Test: s.health.test(p.ID), Tested: modelNames(p),
		Key:      views.KeyNote{Kind: string(key.Kind), Present: key.Present, SavedAt: key.SavedAt, Hint: key.Hint},
		Keychain: s.config.DB.HasKeychain(),
	}, nil
}

// valuesOf writes a provider as a person would type it.
func valuesOf(p models.Provider) views.ProviderValues {
	v := views.ProviderValues{
		Name: p.Name, API: string(p.API), BaseURL: p.BaseURL, Private: p.AllowPrivateNetwork,
		Credential: string(p.Credential), EnvName: p.CredentialEnv,
		Command:     strings.Join(p.CredentialCommand.Argv, " "),
		StreamUsage: p.StreamUsage == nil || *p.StreamUsage, OutputField: p.OutputLimitField,
		PromptCaching: p.PromptCaching == nil || *p.PromptCaching,
		RetryBase:     timeText(p.Retry.Base), RetryCap: timeText(p.Retry.Cap), RetryAfterCap: timeText(p.Retry.AfterCap),
		FirstByte: timeText(p.Timeouts.FirstByte), Idle: timeText(p.Timeouts.Idle), Attempt: timeText(p.Timeouts.Attempt),
	}
	if p.MaxOutputTokens > 0 {
		v.MaxOutput = strconv.Itoa(p.MaxOutputTokens)
	}
	if n := p.Retry.MaxRetries; n != nil {
		v.Retries = strconv.Itoa(*n)
	}
	if t := p.Thinking; t != nil {
		v.Thinking = string(t.Type)
		if t.BudgetTokens > 0 {
			v.Budget = strconv.Itoa(t.BudgetTokens)
		}
	}
	names := make([]string, len(p.Models))
	for i, m := range p.Models {
		names[i] = m.Name
		v.Details = append(v.Details, detailOf(m))
	}
	v.Models = strings.Join(names, "\n")
	return v
}

// typedProps shows the form again as it was typed, without the key. saved is
// the provider as it is stored, nil for a new one.
func (s *Server) typedProps(r *http.Request, f providerForm, saved *models.Provider, problems map[string]string) (views.ProviderForm, error) {
	props := s.newProps(f.preset, f.ProviderValues)
	if saved != nil {
		var err error
		if props, err = s.savedProps(r, *saved); err != nil {
			return props, err
		}
		f.API, f.Command = string(saved.API), props.Values.Command
	}
	props.Values, props.Errors, props.Key.Typed = f.ProviderValues, problems, !f.key.Empty()
	return props, nil
}
