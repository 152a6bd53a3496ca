package models_test

import (
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/models/modelstest"
)

func TestKeyState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 4, 5, 6, 7, time.UTC)
	env := map[string]string{"SET": "a-key-in-the-environment"}
	c := models.Config{
		Dir: t.TempDir(), Now: func() time.Time { return now }, Keychain: newKeychain(),
		Getenv: func(name string) string { return env[name] },
	}
	const key = "sk-0123456789-4f2c"
	db := modelstest.OpenConfig(t, c)
	ids := make(map[string]string)
	for _, name := range []string{"none", "set", "missing", "sealed", "short", "memory", "empty memory", "keychain", "empty keychain", "command"} {
		p := local()
		p.Name = name
		got, err := db.Providers().Create(t.Context(), p, map[string]models.Credential{
			"none": none, "set": {Kind: models.CredentialEnv, Env: "SET"}, "missing": {Kind: models.CredentialEnv, Env: "MISSING"},
			"sealed": sealed(key), "short": sealed("elevenchars"),
			"memory":       {Kind: models.CredentialMemory, Key: models.NewSecret(key)},
			"empty memory": {Kind: models.CredentialMemory},
			"keychain":     inKeychain(key), "empty keychain": {Kind: models.CredentialKeychain},
			"command": {Kind: models.CredentialCommand, Command: models.TokenCommand{Argv: []string{"a"}}},
		}[name])
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = got.ID
	}
	saved := now
	now = now.Add(time.Hour) // what is known does not depend on when one asks
	if _, err := db.Providers().Update(t.Context(), ids["sealed"], models.ProviderUpdate{MaxOutputTokens: ptr(1)}); err != nil {
		t.Fatal(err)
	}
	want := map[string]models.KeyState{
		ids["none"]:           {Kind: models.CredentialNone, Present: true},
		ids["set"]:            {Kind: models.CredentialEnv, Present: true},
		ids["missing"]:        {Kind: models.CredentialEnv},
		ids["sealed"]:         {Kind: models.CredentialSealed, Present: true, SavedAt: saved, Hint: "4f2c"},
		ids["short"]:          {Kind: models.CredentialSealed, Present: true, SavedAt: saved},
		ids["memory"]:         {Kind: models.CredentialMemory, Present: true, SavedAt: saved, Hint: "4f2c"},
		ids["empty memory"]:   {Kind: models.CredentialMemory},
		ids["keychain"]:       {Kind: models.CredentialKeychain, Present: true, SavedAt: saved, Hint: "4f2c"},
		ids["empty keychain"]: {Kind: models.CredentialKeychain},
		ids["command"]:        {Kind: models.CredentialCommand, Present: true},
	}
	wantStates(t, "at first", db, want)
	if _, err := db.RotateKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantStates(t, "after a rotation", db, want)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	// Another process has neither what was in memory nor this key.
	c.Key = models.NewSecret(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	c.Keychain = nil
	for _, name := range []string{"sealed", "short", "memory", "keychain"} {
		state := want[ids[name]]
		state.Present = false
		if name == "memory" {
			state = models.KeyState{Kind: models.CredentialMemory}
		}
		want[ids[name]] = state
	}
	wantStates(t, "elsewhere", modelstest.OpenConfig(t, c), want)
}

func wantStates(t *testing.T, when string, db *models.DB, want map[string]models.KeyState) {
	t.Helper()
	all, err := db.Providers().KeyStates(t.Context())
	if diff := cmp.Diff(want, all); diff != "" || err != nil {
		t.Errorf("%s: %v %s", when, err, diff)
	}
	for id, state := range want {
		got, err := db.Providers().KeyState(t.Context(), id)
		if diff := cmp.Diff(state, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", when, err, diff)
		}
	}
	if _, err := db.Providers().KeyState(t.Context(), "p_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("no provider: got %v, want ErrNotFound", err)
	}
}
