package catalog

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/providertest"
)

// How an attempt ends is told once, with whose it was; one that its caller ends
// is not told.
func TestAttemptsAreHeard(t *testing.T) {
	t.Parallel()
	s := newStage(t, models.Config{}, 1, models.Credential{Kind: models.CredentialNone})
	s.catalog.Close()
	s.catalog = New(s.db, slog.New(slog.DiscardHandler))
	var told []error
	s.catalog.Hear(func(id, name string, err error) {
		if id != s.id || name != "Local" {
			t.Errorf("told of %s, %s", id, name)
		}
		told = append(told, err)
	})
	if err := s.call(s.connect("m")); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || told[0] != nil {
		t.Fatalf("an answer: told %v", told)
	}

	refused := providertest.NewServer(t, providertest.Answer{Status: 401})
	address := refused.URL + "/v1"
	if _, err := s.db.Providers().Update(t.Context(), s.id, models.ProviderUpdate{BaseURL: &address}); err != nil {
		t.Fatal(err)
	}
	_ = s.call(s.connect("m"))
	var failure *providers.Error
	if len(told) != 2 || !errors.As(told[1], &failure) || failure.Category != providers.CategoryAuthentication {
		t.Fatalf("a refusal: told %v", told)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := s.catalog.Connect(t.Context(), agent.ModelRef{Provider: s.id, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Provider.Stream(ctx, providers.Request{Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Hello"}}}) {
		if err == nil {
			t.Error("an attempt that was called off had an answer")
		}
	}
	if len(told) != 2 {
		t.Errorf("an attempt that was called off: told %v", told[2:])
	}
}
