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
	views.ProviderValues
	preset string
	key    models.Secret // empty keeps the saved one
	test   bool          // test once saved
}

func parseProvider(r *http.Request) (providerForm, error) {
	if err := readForm(r); err != nil {
		return providerForm{}, err
	}
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	on := func(name string) bool { return r.PostFormValue(name) == "on" }
	f := providerForm{preset: text("preset"), key: models.NewSecret(text("key")), test: r.PostFormValue("do") == "test"}
	f.ProviderValues = views.ProviderValues{
		Name: text("name"), API: text("api"), BaseURL: text("base_url"), Private: on("private"),
		Credential: text("credential"), EnvName: text("env"),
		Models: strings.Join(modelLines(r.PostFormValue("models")), "\n"), Details: modelDetails(text, on),
		MaxOutput: text("max_output"), StreamUsage: on("stream_usage"), OutputField: text("output_field"),
		PromptCaching: on("prompt_caching"), Thinking: text("thinking"), Budget: text("budget"),
		Retries: text("retries"), RetryBase: text("retry_base"), RetryCap: text("retry_cap"), RetryAfterCap: text("retry_after_cap"),
		FirstByte: text("first_byte"), Idle: text("idle"), Attempt: text("attempt"),
	}
	return f, nil
}

// read makes the provider that the form describes, beginning with what is
// stored, and says by field what can't be read. models says what else is wrong.
func (f providerForm) read(saved models.Provider) (models.Provider, map[string]string) {
	found := make(map[string]string)
	p := saved
	if saved.ID == "" {
		p.API = providers.API(f.API)
	}
	p.Name, p.BaseURL, p.AllowPrivateNetwork = f.Name, f.BaseURL, f.Private
	if problem := baseURLProblem(f.BaseURL, f.Private); problem != "" {
		found["base_url"] = problem
	}
	if f.Credential == views.CredentialCommand && saved.Credential != models.CredentialCommand {
		found["credential"] = "A token command is set in the provisioning file, because it runs a program on the server. Choose another way to keep the key."
	}
	if kept(f.Credential) && f.key.Empty() && string(saved.Credential) != f.Credential {
		found["key"] = "Enter the key, or choose another way to keep it."
	}
	var ok bool
	if p.MaxOutputTokens, ok = number(f.MaxOutput, check.MaxOutputTokens); !ok {
		found["max_output"] = fmt.Sprintf("Enter a whole number from 1 to %d, or nothing.", check.MaxOutputTokens)
	}
	p.Models = f.models(saved.Models, found)
	f.options(&p, found)
	return p, found
}

// kept reports whether a way to keep a key is one for keys that are typed.
func kept(credential string) bool {
	return credential == views.CredentialSealed || credential == views.CredentialMemory || credential == views.CredentialKeychain
}

// update is what the form changes in a stored connection.
func (f providerForm) update(p models.Provider) models.ProviderUpdate {
	thinking := p.Thinking
	if thinking == nil {
		thinking = &providers.Thinking{} // takes it away
	}
	u := models.ProviderUpdate{
		Name: &p.Name, BaseURL: &p.BaseURL, AllowPrivateNetwork: &p.AllowPrivateNetwork,
		StreamUsage: p.StreamUsage, PromptCaching: p.PromptCaching, OutputLimitField: &p.OutputLimitField,
		MaxOutputTokens: &p.MaxOutputTokens, Retry: &p.Retry, Timeouts: &p.Timeouts, Models: &p.Models,
	}
	if p.API == providers.APIAnthropic {
		u.Thinking = thinking
	}
	if keep := f.credential(); f.changesCredential(p, keep) {
		u.Credential = &keep
	}
	return u
}

// changesCredential reports whether the form says anything new of the
// credential: an empty key keeps the one that is there.
func (f providerForm) changesCredential(p models.Provider, c models.Credential) bool {
	return c.Kind != p.Credential || c.Kind == models.CredentialEnv || !c.Key.Empty()
}

// credential is the credential as the form gives it.
func (f providerForm) credential() models.Credential {
	return models.Credential{Kind: models.CredentialKind(f.Credential), Env: f.EnvName, Key: f.key}
}

// number reads a whole number above zero, 0 if there is none.
func number(text string, most int) (int, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n, err == nil && n >= 1 && n <= most
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
