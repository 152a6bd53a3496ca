package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/providers"
	"countersign/views"
	"countersign/web/check"
)

// A providerForm is what the page of a provider sends.
type providerForm struct {
	name        string
	baseURL     string
	private     bool
	credential  string        // one of views.Credential*
	key         models.Secret // empty keeps the saved one
	env         string
	models      []string
	streamUsage bool
	maxOutput   string
	test        bool // test once saved
}

func parseProvider(r *http.Request) (providerForm, error) {
	if err := readForm(r); err != nil {
		return providerForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	form := providerForm{
		name:        text("name"),
		baseURL:     text("base_url"),
		private:     r.PostFormValue("private") == "on",
		credential:  text("credential"),
		key:         models.NewSecret(text("key")),
		env:         text("env"),
		streamUsage: r.PostFormValue("stream_usage") == "on",
		maxOutput:   text("max_output"),
		test:        r.PostFormValue("do") == "test",
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(r.PostFormValue("models")) {
		if model := strings.TrimSpace(line); model != "" && !seen[model] {
			seen[model] = true
			form.models = append(form.models, model)
		}
	}
	return form, nil
}

// problems says what is wrong, by field, as far as models does not. saved is
// the provider as it is stored, nil for a new one.
func (f providerForm) problems(saved *models.Provider) map[string]string {
	found := make(map[string]string)
	if problem := baseURLProblem(f.baseURL, f.private); problem != "" {
		found["base_url"] = problem
	}
	if len(f.models) == 0 {
		found["models"] = "Enter at least one model id."
	}
	if _, ok := f.outputTokens(); !ok {
		found["max_output"] = fmt.Sprintf("Enter a whole number from 1 to %d, or nothing.", check.MaxOutputTokens)
	}
	if f.credential == views.CredentialSealed && f.key.Empty() && (saved == nil || saved.Credential != models.CredentialSealed) {
		found["key"] = "Enter the key, or choose another way to keep it."
	}
	return found
}

// outputTokens reads the limit on output, 0 if there is none.
func (f providerForm) outputTokens() (int, bool) {
	if f.maxOutput == "" {
		return 0, true
	}
	n, err := strconv.Atoi(f.maxOutput)
	return n, err == nil && n >= 1 && n <= check.MaxOutputTokens
}

// provider is what the form stores for a new connection.
func (f providerForm) provider() models.Provider {
	tokens, _ := f.outputTokens()
	return models.Provider{
		Name: f.name, API: providers.APIChatCompletions, BaseURL: f.baseURL, AllowPrivateNetwork: f.private,
		ProviderOptions: models.ProviderOptions{
			StreamUsage: &f.streamUsage, MaxOutputTokens: tokens, Models: f.modelList(nil),
		},
	}
}

// update is what the form changes in a stored connection.
func (f providerForm) update(saved models.Provider) models.ProviderUpdate {
	tokens, _ := f.outputTokens()
	list := f.modelList(saved.Models)
	change := models.ProviderUpdate{
		Name: &f.name, BaseURL: &f.baseURL, AllowPrivateNetwork: &f.private,
		StreamUsage: &f.streamUsage, MaxOutputTokens: &tokens, Models: &list,
	}
	if f.credential != views.CredentialSealed || !f.key.Empty() {
		keep := f.stored()
		change.Credential = &keep
	}
	return change
}

// stored is the credential as the form gives it.
func (f providerForm) stored() models.Credential {
	return models.Credential{Kind: models.CredentialKind(f.credential), Env: f.env, Key: f.key}
}

// modelList names the models. What else is known of one stays known.
func (f providerForm) modelList(saved []models.ProviderModel) []models.ProviderModel {
	known := make(map[string]models.ProviderModel)
	for _, model := range saved {
		known[model.Name] = model
	}
	list := make([]models.ProviderModel, len(f.models))
	for i, name := range f.models {
		list[i] = known[name]
		list[i].Name = name
	}
	return list
}

func baseURLProblem(raw string, private bool) string {
	if problem := check.BaseURL(raw); problem != "" {
		return problem
	}
	if !private && check.NamesPrivate(raw) {
		return "This address is on this machine or in a private network. Tick the box below if that is meant."
	}
	return ""
}
