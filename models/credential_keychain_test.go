package models_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

// A keychain keeps its items in memory. It fails while broken is set.
type keychain struct {
	mu     sync.Mutex
	items  map[string]models.Secret
	broken bool
}

func newKeychain() *keychain { return &keychain{items: make(map[string]models.Secret)} }

var errBroken = errors.New("canary of the keychain")

func (k *keychain) Get(item string) (models.Secret, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	secret, there := k.items[item]
	switch {
	case k.broken:
		return models.Secret{}, errBroken
	case !there:
		return models.Secret{}, models.ErrNotFound
	}
	return secret, nil
}

func (k *keychain) Set(item string, secret models.Secret) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken {
		return errBroken
	}
	k.items[item] = secret
	return nil
}

func (k *keychain) Delete(item string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.broken {
		return errBroken
	}
	delete(k.items, item)
	return nil
}

func inKeychain(key string) models.Credential {
	return models.Credential{Kind: models.CredentialKeychain, Key: models.NewSecret(key)}
}

// wantItems checks that the keychain holds one secret, or none.
func (k *keychain) wantItems(t *testing.T, when string, want ...string) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	var got []string
	for _, secret := range k.items {
		got = append(got, secret.Reveal())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s: the keychain holds %q, want %q", when, got, want)
	}
}

// A key in the keychain is not in the database, and goes with what names it
// (contract P9).
func TestProviders_KeyInTheKeychain(t *testing.T) {
	t.Parallel()
	k := newKeychain()
	c := models.Config{Dir: t.TempDir(), Keychain: k}
	db := modelstest.OpenConfig(t, c)
	p, err := db.Providers().Create(t.Context(), local(), inKeychain("canary-1"))
	if err != nil {
		t.Fatal(err)
	}
	k.wantItems(t, "at first", "canary-1")
	if _, err := db.Providers().Update(t.Context(), p.ID, models.ProviderUpdate{Credential: ptr(inKeychain("canary-2"))}); err != nil {
		t.Fatal(err)
	}
	k.wantItems(t, "changed", "canary-2")
	// What is refused leaves no item behind.
	if _, err := db.Providers().Create(t.Context(), local(), inKeychain("canary-3")); !errors.As(err, new(models.Invalid)) {
		t.Errorf("a name twice: %v", err)
	}
	_, err = db.Providers().Update(t.Context(), p.ID, models.ProviderUpdate{Name: ptr(""), Credential: ptr(inKeychain("canary-4"))})
	if !errors.As(err, new(models.Invalid)) {
		t.Errorf("no name: %v", err)
	}
	k.wantItems(t, "after what was refused", "canary-2")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantNowhere(t, c.Dir, "canary")

	db = modelstest.OpenConfig(t, c)
	if _, err := db.RotateKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	if key, err := db.Providers().Key(t.Context(), p.ID); err != nil || key.Reveal() != "canary-2" {
		t.Errorf("after a restart and a rotation: %q, %v", key.Reveal(), err)
	}
	if err := db.Providers().Delete(t.Context(), p.ID); err != nil {
		t.Fatal(err)
	}
	k.wantItems(t, "removed")
}

func TestProviders_KeychainFails(t *testing.T) {
	t.Parallel()
	k := newKeychain()
	var log bytes.Buffer
	s := modelstest.OpenConfig(t, models.Config{Keychain: k, Logger: slog.New(slog.NewTextHandler(&log, nil))}).Providers()
	p, err := s.Create(t.Context(), local(), inKeychain("canary-1"))
	if err != nil {
		t.Fatal(err)
	}
	k.broken = true
	_, err = s.Key(t.Context(), p.ID)
	if !errors.Is(err, models.ErrKeychain) || errors.Is(err, errBroken) {
		t.Errorf("got %v, want ErrKeychain alone", err)
	}
	wantCode(t, "a broken keychain", err, providers.CodeKeyUnreadable)
	_, err = s.Update(t.Context(), p.ID, models.ProviderUpdate{Credential: ptr(inKeychain("canary-2"))})
	var invalid models.Invalid
	if !errors.As(err, &invalid) || !strings.Contains(invalid["credential"], "did not take the key") {
		t.Errorf("got %v, want Invalid", err)
	}
	if _, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{Credential: &none}); err != nil {
		t.Errorf("leave a broken keychain: %v", err)
	}
	if !strings.Contains(log.String(), "still in the keychain") || strings.Contains(log.String(), "canary") {
		t.Errorf("the log is %s", log.String())
	}
}

func TestProviders_KeyGoneFromTheKeychain(t *testing.T) {
	t.Parallel()
	k := newKeychain()
	s := modelstest.OpenConfig(t, models.Config{Keychain: k}).Providers()
	p, err := s.Create(t.Context(), local(), inKeychain("the-key"))
	if err != nil {
		t.Fatal(err)
	}
	clear(k.items)
	_, err = s.Key(t.Context(), p.ID)
	if !errors.Is(err, models.ErrKeyNeeded) {
		t.Errorf("got %v, want ErrKeyNeeded", err)
	}
	wantCode(t, "gone", err, providers.CodeKeyNeeded)
}

// Where there is no keychain that is said when it is chosen.
func TestProviders_NoKeychain(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	_, err := s.Create(t.Context(), local(), inKeychain("the-key"))
	var invalid models.Invalid
	if !errors.As(err, &invalid) || len(invalid) != 1 || !strings.HasPrefix(invalid["credential"], "This system has no keychain") {
		t.Errorf("got %v, want Invalid", err)
	}
}
