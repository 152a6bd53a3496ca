package control

import (
	"net/http"
	"slices"

	"countersign/models"
)

func (h handler) listProviders(r *http.Request) (any, error) {
	list, err := h.DB.Providers().List(r.Context())
	if err != nil {
		return nil, err
	}
	keys, err := h.DB.Providers().KeyStates(r.Context())
	if err != nil {
		return nil, err
	}
	all := make([]Provider, len(list))
	for i, p := range list {
		all[i] = Provider{Name: p.Name, API: string(p.API), BaseURL: p.BaseURL, Key: keyWords(p, keys[p.ID]), Models: len(p.Models)}
	}
	return all, nil
}

// keyWords says where a key is, and that it is not there.
func keyWords(p models.Provider, k models.KeyState) string {
	words := string(p.Credential)
	if p.Credential == models.CredentialEnv {
		words += " " + p.CredentialEnv
	}
	if !k.Present {
		words += ", missing"
	}
	return words
}

func (h handler) testProvider(r *http.Request) (any, error) {
	n, err := read[providerRequest](r)
	if err != nil {
		return nil, err
	}
	list, err := h.DB.Providers().List(r.Context())
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(p models.Provider) bool { return p.Name == n.Name })
	if at < 0 {
		return nil, errNoProvider
	}
	result, err := h.Site.TestProvider(r.Context(), list[at])
	if err != nil {
		return nil, err
	}
	test := ProviderTest{
		OK: result.Fault == nil, Title: result.Title(), Text: result.Text(), RequestID: result.RequestID, Offers: result.Offers,
	}
	for _, s := range result.Steps {
		test.Steps = append(test.Steps, Step(s))
	}
	if result.Fault != nil {
		e := result.Fault.Error
		test.Error = &ProviderError{
			Category: string(e.Category), Retryable: e.Retryable, HTTPStatus: e.HTTPStatus, API: string(e.API), RequestID: e.RequestID, Code: e.Code,
		}
	}
	return test, nil
}
