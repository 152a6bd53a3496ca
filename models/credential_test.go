package models_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

// A sealed key stays with the host that it was entered for; elsewhere it has
// to be entered again. So do keys in memory and in the keychain.
func TestProviders_KeyStaysWithItsHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []models.CredentialKind{models.CredentialSealed, models.CredentialMemory, models.CredentialKeychain} {
		s := modelstest.OpenConfig(t, models.Config{Keychain: newKeychain()}).Providers()
		entered := models.Credential{Kind: kind, Key: models.NewSecret("the-key")}
		p, err := s.Create(t.Context(), local(), entered)
		if err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{"https://api.example/v1", "http://127.0.0.1:11435/v1", "https://127.0.0.1:11434/v1", ""} {
			_, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{BaseURL: &address})
			var invalid models.Invalid
			if !errors.As(err, &invalid) || invalid["key"] == "" {
				t.Errorf("%s, moved to %q: got %v, want Invalid", kind, address, err)
			}
		}
		if got, err := s.Get(t.Context(), p.ID); err != nil || got.BaseURL != p.BaseURL {
			t.Errorf("%s: the address is %q, %v", kind, got.BaseURL, err)
		}
		if _, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{BaseURL: ptr("https://api.example/v1"), Credential: &entered}); err != nil {
			t.Errorf("%s, with its key: %v", kind, err)
		}
		if key, err := s.Key(t.Context(), p.ID); err != nil || key.Reveal() != "the-key" {
			t.Errorf("%s: the key is %q, %v", kind, key.Reveal(), err)
		}
	}
}

// Saying again where the key is, without giving it, keeps it for the same host
// alone.
func TestProviders_KeptKeyDoesNotMove(t *testing.T) {
	t.Parallel()
	for _, kind := range []models.CredentialKind{models.CredentialMemory, models.CredentialKeychain} {
		s := modelstest.OpenConfig(t, models.Config{Keychain: newKeychain()}).Providers()
		p, err := s.Create(t.Context(), local(), models.Credential{Kind: kind, Key: models.NewSecret("the-key")})
		if err != nil {
			t.Fatal(err)
		}
		same := models.ProviderUpdate{Credential: &models.Credential{Kind: kind}}
		if _, err := s.Update(t.Context(), p.ID, same); err != nil {
			t.Fatal(err)
		}
		if key, err := s.Key(t.Context(), p.ID); err != nil || key.Reveal() != "the-key" {
			t.Errorf("%s: the key is %q, %v", kind, key.Reveal(), err)
		}
		same.BaseURL = ptr("https://elsewhere.example/v1")
		if _, err := s.Update(t.Context(), p.ID, same); err != nil {
			t.Fatal(err)
		}
		if key, err := s.Key(t.Context(), p.ID); !errors.Is(err, models.ErrKeyNeeded) {
			t.Errorf("%s, elsewhere: the key is %q, %v, want ErrKeyNeeded", kind, key.Reveal(), err)
		}
	}
}

// A key that a header can't carry is refused, in words that do not hold it.
func TestCredential_OneLineOfPlainCharacters(t *testing.T) {
	t.Parallel()
	s := modelstest.OpenConfig(t, models.Config{Keychain: newKeychain()}).Providers()
	for _, kind := range []models.CredentialKind{models.CredentialSealed, models.CredentialMemory, models.CredentialKeychain} {
		for _, key := range []string{
			"canary words", "canary\nlines", "canary\r", "canary-clé", "canary\t", "canary\x00", "canary\x7f", strings.Repeat("canary", 3000),
		} {
			_, err := s.Create(t.Context(), local(), models.Credential{Kind: kind, Key: models.NewSecret(key)})
			var invalid models.Invalid
			if !errors.As(err, &invalid) || invalid["key"] == "" {
				t.Fatalf("%s, key %.20q: got %v, want Invalid", kind, key, err)
			}
			if strings.Contains(err.Error()+invalid["key"], "canary") {
				t.Errorf("%s: %v, %s holds the key", kind, err, invalid["key"])
			}
		}
	}
	if _, err := s.Create(t.Context(), local(), sealed("")); !errors.As(err, new(models.Invalid)) {
		t.Errorf("no key to seal: %v", err)
	}
}

func TestTokenCommand_Refused(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	many := make([]string, 33)
	for i := range many {
		many[i] = "A"
	}
	for _, c := range []models.TokenCommand{
		{},
		{Argv: []string{""}},
		{Argv: many},
		{Argv: []string{"a", "\x00"}},
		{Argv: []string{"a", "\xff"}},
		{Argv: []string{"a", strings.Repeat("x", 4097)}},
		{Argv: []string{"a", "sk-0123456789abcdefghij"}},
		{Argv: []string{"a"}, Env: []string{"A=B"}},
		{Argv: []string{"a"}, Env: many[:17]},
		{Argv: []string{"a"}, Env: []string{"COUNTERSIGN_KEY"}},
		{Argv: []string{"a"}, Env: []string{"countersign_key_file"}},
	} {
		_, err := s.Create(t.Context(), local(), models.Credential{Kind: models.CredentialCommand, Command: c})
		var invalid models.Invalid
		if !errors.As(err, &invalid) || invalid["command"] == "" {
			t.Errorf("%.40q: got %v, want Invalid", c, err)
		}
	}
}

// wantCode checks that a run can be told why there is no key.
func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Category != providers.CategoryConfiguration || failure.Code != code || failure.Retryable {
		t.Errorf("%s: got %v, want %s", what, err, code)
	}
}

// A key in memory is on no disk, and is needed again after a restart (contract
// P8, P13).
func TestProviders_KeyInMemory(t *testing.T) {
	t.Parallel()
	const key = "canary-in-memory-4f2c"
	c := models.Config{Dir: t.TempDir()}
	db := modelstest.OpenConfig(t, c)
	p, err := db.Providers().Create(t.Context(), local(), models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret(key)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.Providers().Key(t.Context(), p.ID); err != nil || got.Reveal() != key {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
	if _, err := db.RotateKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	another := models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret(key + "-2")}
	if _, err := db.Providers().Update(t.Context(), p.ID, models.ProviderUpdate{Credential: &another}); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Providers().Key(t.Context(), p.ID); err != nil || got.Reveal() != key+"-2" {
		t.Errorf("a changed key: got %q, %v", got.Reveal(), err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantNowhere(t, c.Dir, "canary")

	db = modelstest.OpenConfig(t, c)
	got, err := db.Providers().Key(t.Context(), p.ID)
	if !errors.Is(err, models.ErrKeyNeeded) {
		t.Errorf("after a restart: got %q, %v, want ErrKeyNeeded", got.Reveal(), err)
	}
	wantCode(t, "after a restart", err, providers.CodeKeyNeeded)
	if _, err := db.Providers().Update(t.Context(), p.ID, models.ProviderUpdate{Credential: &another}); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Providers().Key(t.Context(), p.ID); err != nil || got.Reveal() != key+"-2" {
		t.Errorf("entered again: got %q, %v", got.Reveal(), err)
	}
}

// Another way to keep the key forgets the one in memory.
func TestProviders_KeyLeavesMemory(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	memory := models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret("the-key")}
	p, err := s.Create(t.Context(), local(), memory)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []models.Credential{none, {Kind: models.CredentialMemory}} {
		if _, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{Credential: &c}); err != nil {
			t.Fatal(err)
		}
	}
	if key, err := s.Key(t.Context(), p.ID); !errors.Is(err, models.ErrKeyNeeded) {
		t.Errorf("got %q, %v, want ErrKeyNeeded", key.Reveal(), err)
	}
}

func TestProviders_TokensAreNoKey(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	want := models.TokenCommand{Argv: []string{"print-token", "--scope", "models"}, Env: []string{"TOKEN_HOST"}}
	p, err := s.Create(t.Context(), local(), models.Credential{Kind: models.CredentialCommand, Command: want})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.CredentialCommand.Argv) != 3 || len(p.CredentialCommand.Env) != 1 {
		t.Errorf("the command is %q", p.CredentialCommand)
	}
	if _, err := s.Key(t.Context(), p.ID); !errors.Is(err, models.ErrTokens) {
		t.Errorf("got %v, want ErrTokens", err)
	}
}
