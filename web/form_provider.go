package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"countersign/models"
	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/views"
)

// maxOutput is the largest limit on output tokens that the form takes.
const maxOutput = 1 << 20

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
		found["max_output"] = fmt.Sprintf("Enter a whole number from 1 to %d, or nothing.", maxOutput)
	}
	if f.credential == views.CredentialSealed {
		if problem := f.keyProblem(saved); problem != "" {
			found["key"] = problem
		}
	}
	return found
}

// keyProblem judges a key that is to be sealed. A saved key does not follow
// the address to another host: it would be shown to whoever is there.
func (f providerForm) keyProblem(saved *models.Provider) string {
	switch {
	case !f.key.Empty():
		if strings.ContainsFunc(f.key.Reveal(), func(c rune) bool { return c <= 0x20 || c >= 0x7f }) {
			return "A key is one line of plain characters without spaces."
		}
	case saved == nil || saved.Credential != models.CredentialSealed:
		return "Enter the key, or choose another way to keep it."
	case hostOf(saved.BaseURL) != hostOf(f.baseURL):
		return "The saved key was entered for another host. Enter the key for this one."
	}
	return ""
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// outputTokens reads the limit on output, 0 if there is none.
func (f providerForm) outputTokens() (int, bool) {
	if f.maxOutput == "" {
		return 0, true
	}
	n, err := strconv.Atoi(f.maxOutput)
	return n, err == nil && n >= 1 && n <= maxOutput
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

// baseURLReasons are the words for a base URL that can't be used.
var baseURLReasons = map[upstream.BaseURLReason]string{
	upstream.BaseURLMalformed: "Enter a whole address, such as https://api.example/v1.",
	upstream.BaseURLScheme:    "The address must start with http:// or https://.",
	upstream.BaseURLUserinfo:  "Leave user and password out of the address. A key goes into its own field.",
	upstream.BaseURLQuery:     "Leave out the question mark and what follows it.",
	upstream.BaseURLFragment:  "Leave out the # and what follows it.",
	upstream.BaseURLBlocked:   "Countersign never connects to this address.",
}

func baseURLProblem(raw string, private bool) string {
	var refused *upstream.BaseURLError
	if err := upstream.ValidateBaseURL(raw); errors.As(err, &refused) {
		return baseURLReasons[refused.Reason]
	}
	if !private && namesPrivate(raw) {
		return "This address is on this machine or in a private network. Tick the box below if that is meant."
	}
	return ""
}

// namesPrivate reports whether the address can be seen to be private. Where a
// name leads is judged at each connection.
func namesPrivate(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && !upstream.AddressAllowed(addr, false)
}
