package models_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

func local() models.Provider {
	two, no := 2, false
	return models.Provider{
		Name: "Local", API: providers.APIChatCompletions, BaseURL: "http://127.0.0.1:11434/v1", AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{
			StreamUsage: &no, MaxOutputTokens: 4096,
			Retry:    agent.RetryPolicy{MaxRetries: &two, Base: time.Second, Cap: time.Minute, AfterCap: time.Hour},
			Timeouts: models.Timeouts{FirstByte: time.Second, Idle: time.Minute, Attempt: time.Hour},
			Models:   []models.ProviderModel{{Name: "m", ContextWindow: 8192}, {Name: "n"}},
		},
	}
}

var none = models.Credential{Kind: models.CredentialNone}

func sealed(key string) models.Credential {
	return models.Credential{Kind: models.CredentialSealed, Key: models.NewSecret(key)}
}

func TestProviders_KeepEverything(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
	s := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }}).Providers()
	want := local()
	got, err := s.Create(t.Context(), want, models.Credential{Kind: models.CredentialEnv, Env: "LOCAL_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.Credential, want.CredentialEnv, want.CreatedAt, want.UpdatedAt = got.ID, models.CredentialEnv, "LOCAL_KEY", now, now
	stored, err := s.Get(t.Context(), got.ID)
	if err != nil || !strings.HasPrefix(got.ID, "p_") {
		t.Errorf("id %q, %v", got.ID, err)
	}
	for _, p := range []models.Provider{got, stored} {
		if diff := cmp.Diff(want, p); diff != "" {
			t.Error(diff)
		}
	}
	plain, err := s.Create(t.Context(), models.Provider{Name: "Another", API: providers.APIResponses}, none)
	if err != nil || plain.StreamUsage != nil || plain.Retry != (agent.RetryPolicy{}) {
		t.Errorf("options that were not given: %+v, %v", plain, err)
	}
	list, err := s.List(t.Context())
	if diff := cmp.Diff([]models.Provider{plain, want}, list); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if err := s.Delete(t.Context(), plain.ID); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"delete": s.Delete(t.Context(), plain.ID),
		"get":    second(s.Get(t.Context(), plain.ID)),
		"update": second(s.Update(t.Context(), plain.ID, models.ProviderUpdate{})),
		"key":    second(s.Key(t.Context(), plain.ID)),
	} {
		if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func ptr[T any](v T) *T { return &v }

func TestProviders_UpdateKeepsWhatIsOmitted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
	s := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }}).Providers()
	want, err := s.Create(t.Context(), local(), sealed("the-key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		update models.ProviderUpdate
		change func(*models.Provider)
		key    string
	}{
		{"nothing", models.ProviderUpdate{}, func(*models.Provider) {}, "the-key"},
		{"name", models.ProviderUpdate{Name: ptr("Renamed")}, func(p *models.Provider) { p.Name = "Renamed" }, "the-key"},
		{"address", models.ProviderUpdate{BaseURL: ptr("http://127.0.0.1:11434/v2"), AllowPrivateNetwork: ptr(false)},
			func(p *models.Provider) { p.BaseURL, p.AllowPrivateNetwork = "http://127.0.0.1:11434/v2", false }, "the-key"},
		{"usage on again", models.ProviderUpdate{StreamUsage: ptr(true)}, func(p *models.Provider) { p.StreamUsage = ptr(true) }, "the-key"},
		{"zero", models.ProviderUpdate{MaxOutputTokens: ptr(0)}, func(p *models.Provider) { p.MaxOutputTokens = 0 }, "the-key"},
		{"retries", models.ProviderUpdate{Retry: &agent.RetryPolicy{MaxRetries: ptr(0)}},
			func(p *models.Provider) { p.Retry = agent.RetryPolicy{MaxRetries: ptr(0)} }, "the-key"},
		{"timeouts", models.ProviderUpdate{Timeouts: &models.Timeouts{}}, func(p *models.Provider) { p.Timeouts = models.Timeouts{} }, "the-key"},
		{"models", models.ProviderUpdate{Models: &[]models.ProviderModel{{Name: "x"}}},
			func(p *models.Provider) { p.Models = []models.ProviderModel{{Name: "x"}} }, "the-key"},
		{"key", models.ProviderUpdate{Credential: ptr(sealed("another-key"))}, func(*models.Provider) {}, "another-key"},
		{"no key", models.ProviderUpdate{Credential: &none}, func(p *models.Provider) { p.Credential = models.CredentialNone }, ""},
	} {
		now = now.Add(time.Second)
		c.change(&want)
		want.UpdatedAt = now
		got, err := s.Update(t.Context(), want.ID, c.update)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		stored, err := s.Get(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []models.Provider{got, stored} {
			if diff := cmp.Diff(want, p); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
		}
		if key, err := s.Key(t.Context(), want.ID); err != nil || key.Reveal() != c.key {
			t.Errorf("%s: the key is %q, %v, want %q", c.name, key.Reveal(), err, c.key)
		}
	}
}

func TestProviders_Invalid(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	saved, err := s.Create(t.Context(), local(), none)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field      string
		change     func(*models.Provider)
		credential models.Credential
	}{
		{"name", func(p *models.Provider) { p.Name = "" }, none},
		{"name", func(p *models.Provider) { p.Name = "Local" }, none},
		{"api", func(p *models.Provider) { p.API, p.StreamUsage = "Chat Completions", nil }, none},
		{"base_url", func(p *models.Provider) { p.BaseURL = "api.example/v1" }, none},
		{"base_url", func(p *models.Provider) { p.BaseURL = "file:///etc/passwd" }, none},
		{"base_url", func(p *models.Provider) { p.BaseURL = "https://user:secret@api.example" }, none},
		{"stream_usage", func(p *models.Provider) { p.API = providers.APIAnthropic }, none},
		{"max_output", func(p *models.Provider) { p.MaxOutputTokens = -1 }, none},
		{"retry", func(p *models.Provider) { p.Retry.MaxRetries = ptr(6) }, none},
		{"retry", func(p *models.Provider) { p.Retry.Cap = -1 }, none},
		{"timeouts", func(p *models.Provider) { p.Timeouts.Idle = -1 }, none},
		{"models", func(p *models.Provider) { p.Models = []models.ProviderModel{{Name: ""}} }, none},
		{"models", func(p *models.Provider) { p.Models = []models.ProviderModel{{Name: "m"}, {Name: "m"}} }, none},
		{"models", func(p *models.Provider) { p.Models = make([]models.ProviderModel, 201) }, none},
		{"models", func(p *models.Provider) { p.Models = []models.ProviderModel{{Name: "m", ContextWindow: -1}} }, none},
		{"env", func(*models.Provider) {}, models.Credential{Kind: models.CredentialEnv, Env: "A=B"}},
		{"key", func(*models.Provider) {}, sealed("")},
		{"key", func(*models.Provider) {}, sealed(strings.Repeat("k", 16<<10+1))},
		{"prompt_caching", func(p *models.Provider) { p.PromptCaching = ptr(false) }, none},
		{"thinking", func(p *models.Provider) { p.Thinking = &providers.Thinking{Type: providers.ThinkingAdaptive} }, none},
		{"output_limit_field", func(p *models.Provider) { p.OutputLimitField = "tokens" }, none},
		{"credential", func(*models.Provider) {}, models.Credential{Kind: "vault"}},
		{"credential", func(*models.Provider) {}, models.Credential{}},
	} {
		p := local()
		p.Name = "Other"
		c.change(&p)
		_, err := s.Create(t.Context(), p, c.credential)
		var invalid models.Invalid
		if !errors.As(err, &invalid) || len(invalid) != 1 || invalid[c.field] == "" {
			t.Errorf("%+v, %v: got %v, want %s", p, c.credential.Kind, err, c.field)
		}
	}
	other := local()
	other.Name = "Other"
	second, err := s.Create(t.Context(), other, none)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Update(t.Context(), second.ID, models.ProviderUpdate{Name: ptr("Local")})
	if !errors.As(err, new(models.Invalid)) {
		t.Errorf("a taken name: got %v", err)
	}
	_, err = s.Update(t.Context(), saved.ID, models.ProviderUpdate{BaseURL: ptr("ftp://x")})
	if !errors.As(err, new(models.Invalid)) {
		t.Errorf("a bad address: got %v", err)
	}
	if got, err := s.Get(t.Context(), saved.ID); err != nil || got.BaseURL != saved.BaseURL {
		t.Errorf("a refused update changed the address to %q, %v", got.BaseURL, err)
	}
}

func TestProviders_KeyFromEnvironment(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	s := modelstest.OpenConfig(t, models.Config{Getenv: func(name string) string { return env[name] }}).Providers()
	p, err := s.Create(t.Context(), local(), models.Credential{Kind: models.CredentialEnv, Env: "LOCAL_KEY"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Key(t.Context(), p.ID)
	if !errors.Is(err, models.ErrNoKey) {
		t.Errorf("got %v, want ErrNoKey", err)
	}
	wantCode(t, "not set", err, providers.CodeKeyMissingEnv)
	env["LOCAL_KEY"] = "from the environment"
	if key, err := s.Key(t.Context(), p.ID); err != nil || key.Reveal() != "from the environment" {
		t.Errorf("got %q, %v", key.Reveal(), err)
	}
}

// wantNowhere looks for a text in every file of a directory.
func wantNowhere(t *testing.T, dir, text string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("%s holds %s", e.Name(), text)
		}
	}
}

func TestProviders_SealedKey(t *testing.T) {
	t.Parallel()
	const key = "sk-something-very-secret"
	c := models.Config{Dir: t.TempDir()}
	db := modelstest.OpenConfig(t, c)
	p, err := db.Providers().Create(t.Context(), local(), sealed(key))
	if err != nil {
		t.Fatal(err)
	}
	check := func(c models.Config, want error) {
		t.Helper()
		db := modelstest.OpenConfig(t, c)
		got, err := db.Providers().Key(t.Context(), p.ID)
		if !errors.Is(err, want) || err == nil && got.Reveal() != key {
			t.Errorf("got %q, %v, want %v", got.Reveal(), err, want)
		}
		if want != nil {
			wantCode(t, "under another key", err, providers.CodeKeyUnreadable)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantNowhere(t, c.Dir, key)
	check(c, nil)
	other := c
	other.Key = models.NewSecret(base64.StdEncoding.EncodeToString(make([]byte, 32)))
	check(other, models.ErrWrongKey)
	check(c, nil)
}
