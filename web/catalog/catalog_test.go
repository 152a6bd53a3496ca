package catalog

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/providertest"
	"countersign/providers/token"
)

// TestMain makes this binary a command that prints a file as well.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "print" {
		text, err := os.ReadFile(os.Args[2])
		if err != nil {
			os.Exit(1)
		}
		fmt.Print(string(text))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const answer = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":null}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

// A stage is a catalog with one provider and the service behind it.
type stage struct {
	t       *testing.T
	db      *models.DB
	catalog *Catalog
	id      string
	service *providertest.Server
}

// newStage has the service answer a number of requests.
func newStage(t *testing.T, c models.Config, answers int, credential models.Credential) *stage {
	t.Helper()
	s := &stage{t: t, db: modelstest.OpenConfig(t, c)}
	s.catalog = New(s.db, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { s.catalog.Close() })
	script := make([]providertest.Answer, answers)
	for i := range script {
		script[i] = providertest.Events([]byte(answer))
	}
	s.service = providertest.NewServer(t, script...)
	two := 2
	p, err := s.db.Providers().Create(t.Context(), models.Provider{
		Name: "Local", API: providers.APIChatCompletions, BaseURL: s.service.URL + "/v1", AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{
			Retry:  agent.RetryPolicy{MaxRetries: &two},
			Models: []models.ProviderModel{{Name: "m", Price: &agent.Price{Input: 1, Output: 2}}, {Name: "n"}},
		},
	}, credential)
	if err != nil {
		t.Fatal(err)
	}
	s.id = p.ID
	return s
}

func (s *stage) connect(model string) agent.Connection {
	s.t.Helper()
	c, err := s.catalog.Connect(s.t.Context(), agent.ModelRef{Provider: s.id, ProviderName: "Local", Model: model})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// call makes one attempt and returns what it failed with.
func (s *stage) call(c agent.Connection) error {
	for _, err := range c.Provider.Stream(s.t.Context(), providers.Request{Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Hello"}}}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// want makes an attempt, which is to come with the key.
func (s *stage) want(when string, c agent.Connection, key string) {
	s.t.Helper()
	if err := s.call(c); err != nil {
		s.t.Fatalf("%s: %v", when, err)
	}
	requests := s.service.Requests()
	if got := requests[len(requests)-1].Header.Get("Authorization"); got != "Bearer "+key {
		s.t.Errorf("%s: sent %q, want %q", when, got, key)
	}
}

// wantCode makes an attempt, for which nothing is sent.
func (s *stage) wantCode(when string, c agent.Connection, code string) {
	s.t.Helper()
	before := len(s.service.Requests())
	err := s.call(c)
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Code != code || failure.Category != providers.CategoryConfiguration ||
		failure.API != providers.APIChatCompletions || failure.Retryable {
		s.t.Errorf("%s: got %v, want %s", when, err, code)
	}
	if after := len(s.service.Requests()); after != before {
		s.t.Errorf("%s: %d requests were sent", when, after-before)
	}
}

func (s *stage) change(c models.Credential) {
	s.t.Helper()
	if _, err := s.db.Providers().Update(s.t.Context(), s.id, models.ProviderUpdate{Credential: &c}); err != nil {
		s.t.Fatal(err)
	}
}

func TestConnect_PriceAndRetries(t *testing.T) {
	t.Parallel()
	s := newStage(t, models.Config{}, 0, models.Credential{Kind: models.CredentialNone})
	if c := s.connect("m"); c.Price == nil || c.Price.Output != 2 || *c.Retry.MaxRetries != 2 {
		t.Errorf("the connection is %+v", c)
	}
	if c := s.connect("n"); c.Price != nil {
		t.Errorf("a model without a price costs %+v", c.Price)
	}
	_, err := s.catalog.Connect(t.Context(), agent.ModelRef{Provider: "p_gone"})
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Code != "provider_removed" {
		t.Errorf("a provider that is gone: %v", err)
	}
}

// A changed key acts on the next call, also of a connection that is open, and
// so does a rotated sealing key.
func TestConnect_ChangedKey(t *testing.T) {
	t.Parallel()
	sealed := func(key string) models.Credential {
		return models.Credential{Kind: models.CredentialSealed, Key: models.NewSecret(key)}
	}
	s := newStage(t, models.Config{}, 3, sealed("first"))
	c := s.connect("m")
	s.want("at first", c, "first")
	s.change(sealed("second"))
	s.want("changed", c, "second")
	if _, err := s.db.RotateKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want("after a rotation", c, "second")
}

// A key that is missing is said, by what is missing; there is no other key and
// no other provider to fall back to (contract P3, P8, P13).
func TestConnect_MissingKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	env := map[string]string{}
	config := models.Config{Dir: t.TempDir(), Getenv: func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		return env[name]
	}}
	s := newStage(t, config, 2, models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret("in-memory")})
	s.want("in memory", s.connect("m"), "in-memory")
	s.catalog.Close()
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	s.db = modelstest.OpenConfig(t, config)
	s.catalog = New(s.db, slog.New(slog.DiscardHandler))
	s.wantCode("after a restart", s.connect("m"), providers.CodeKeyNeeded)

	s.change(models.Credential{Kind: models.CredentialEnv, Env: "SOME_KEY"})
	c := s.connect("m")
	s.wantCode("not set", c, providers.CodeKeyMissingEnv)
	mu.Lock()
	env["SOME_KEY"] = "two\nlines"
	mu.Unlock()
	s.wantCode("no header", c, "credential_invalid")
	mu.Lock()
	env["SOME_KEY"] = "from-the-environment"
	mu.Unlock()
	s.want("set", c, "from-the-environment")
}

// Tokens of a command are sent as such and renewed under an open connection,
// which stays what it is (contract P15, P16).
func TestConnect_Tokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	print := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	printed := func(token string) string {
		return fmt.Sprintf(`{"token":%q,"expires_at":%q}`, token, now.Add(time.Hour).Format(time.RFC3339))
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, models.Config{}, 3, models.Credential{
		Kind: models.CredentialCommand, Command: models.TokenCommand{Argv: []string{program, "print", file}},
	})
	s.catalog.Close()
	s.catalog = &Catalog{db: s.db, connections: connect.New(), tokens: token.New(token.Config{Now: func() time.Time { return now }})}
	c := s.connect("m")
	print(printed("one"))
	s.want("at first", c, "one")
	print(printed("two"))
	s.want("while it holds", c, "one")
	now = now.Add(time.Hour)
	print(printed("two"))
	s.want("after its end", c, "two")
	now = now.Add(time.Hour)
	print("no token")
	s.wantCode("no token", c, providers.CodeTokenCommandFailed)
	for _, r := range s.service.Requests() {
		if !strings.Contains(string(r.Body), `"model":"m"`) {
			t.Errorf("the model has changed: %s", r.Body)
		}
	}
}
