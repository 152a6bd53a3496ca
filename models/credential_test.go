package models_test

import (
	"errors"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
)

// A sealed key stays with the host that it was entered for; elsewhere it has
// to be entered again.
func TestProviders_KeyStaysWithItsHost(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	p, err := s.Create(t.Context(), local(), sealed("the-key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"https://api.example/v1", "http://127.0.0.1:11435/v1", "https://127.0.0.1:11434/v1", ""} {
		_, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{BaseURL: &address})
		var invalid models.Invalid
		if !errors.As(err, &invalid) || invalid["key"] == "" {
			t.Errorf("moved to %q: got %v, want Invalid", address, err)
		}
	}
	if got, err := s.Get(t.Context(), p.ID); err != nil || got.BaseURL != p.BaseURL {
		t.Errorf("the address is %q, %v", got.BaseURL, err)
	}
	again := sealed("the-key")
	if _, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{BaseURL: ptr("https://api.example/v1"), Credential: &again}); err != nil {
		t.Errorf("with its key: %v", err)
	}
}

func TestCredential_OneLineOfPlainCharacters(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	for _, key := range []string{"", "two words", "two\nlines", "clé", "tab\t"} {
		if _, err := s.Create(t.Context(), local(), sealed(key)); !errors.As(err, new(models.Invalid)) {
			t.Errorf("key %q: got %v, want Invalid", key, err)
		}
	}
}
