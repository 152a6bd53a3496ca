package models

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestHasher(t *testing.T) {
	t.Parallel()
	h := newHasher(PasswordCost{KiB: 64, Passes: 1})
	phc, err := h.hash(t.Context(), NewSecret("correct horse"))
	if err != nil || !strings.HasPrefix(phc, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Errorf("got %s, %v", phc, err)
	}
	if again, err := h.hash(t.Context(), NewSecret("correct horse")); err != nil || again == phc {
		t.Errorf("the salt is the same, %v", err)
	}
	other := newHasher(PasswordCost{KiB: 128, Passes: 2}) // a stored hash keeps its own cost
	for text, want := range map[string]bool{"correct horse": true, "correct horsf": false, "": false} {
		if got, err := other.verify(t.Context(), NewSecret(text), phc); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	if ok, err := h.verify(t.Context(), Secret{}, h.nobody); err != nil || ok {
		t.Errorf("nobody signed in, %v", err)
	}
	for _, bad := range []string{"", "x", strings.Replace(phc, "argon2id", "argon2i", 1), strings.Replace(phc, "t=1", "t=0", 1), strings.Replace(phc, "m=64", "m=x", 1), phc[:strings.LastIndex(phc, "$")+1]} {
		if _, err := h.verify(t.Context(), Secret{}, bad); err == nil {
			t.Errorf("hash %q was read", bad)
		}
	}
}

// A known value: the program can read what it wrote in the past.
func TestHasher_StoredForm(t *testing.T) {
	t.Parallel()
	const stored = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$bIKRw3Ua1pluirFy81fnppmR01EnUxY3hLEBwbWxBG8"
	ok, err := newHasher(PasswordCost{}).verify(t.Context(), NewSecret("correct horse"), stored)
	if err != nil || !ok {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestHasher_DefaultCost(t *testing.T) {
	t.Parallel()
	if h := newHasher(PasswordCost{}); !strings.HasPrefix(h.nobody, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("got %s", h.nobody)
	}
}

func TestHasher_WaitsForASlot(t *testing.T) {
	t.Parallel()
	h := newHasher(PasswordCost{KiB: 64, Passes: 1})
	for range hashesAtOnce {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.hash(ctx, Secret{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
