package provision_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web/provision"
)

const canary = "sk-canary-4711"

// context knows two tools and two files.
func context() provision.Context {
	files := map[string]string{"key": canary + "\n", "password": "correct horse battery\r\n"}
	return provision.Context{
		Tools: []string{"current_time", "notes_read"},
		Secret: func(path string) (models.Secret, error) {
			text, ok := files[path]
			if !ok {
				return models.Secret{}, os.ErrNotExist
			}
			return models.NewSecret(text), nil
		},
	}
}

func parse(t *testing.T, text string) *provision.File {
	t.Helper()
	f, err := provision.Parse([]byte(text), context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// full says everything that a file can say.
const full = `
providers:
  - name: Local
    api: chat-completions
    base_url: http://127.0.0.1:11434/v1
    allow_private_network: true
    credentials: {sealed_file: key}
    stream_usage: false
    max_output_tokens: 4096
    retry: {max_retries: 0, base: 500ms, cap: 10s, retry_after_cap: 1m}
    timeouts: {first_byte: 60s, idle: 5m, attempt: 30m}
    models: [{name: m, context_window: 128000}, {name: "4"}]
agents:
  - name: assistant
    instructions: |
      Be brief.
      Be exact.
    model: {provider: Local, name: m}
    tools: [current_time]
    output: {reasoning: true, buffer_attempts: true}
    limits: {model_calls: 10, approval: 5m, question: 15m}
users:
  - {email: admin@example.com, name: Admin, role: admin, password_file: password}
retention: {conversations: 90d}
limits: {runs_per_person: 2, runs_per_provider: 8, queued_messages: 5, tool_call: 30s}
`

func TestParse_Full(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	for i, want := range []models.Outcome{models.Created, models.Unchanged} {
		applied, err := db.Apply(t.Context(), parse(t, full).Setup)
		if err != nil || len(applied) != 4 {
			t.Fatalf("time %d: got %v, %v", i, applied, err)
		}
		for _, a := range applied {
			if want == models.Created && a.Section == models.SectionSettings {
				want = models.Updated // they are always there
			}
			if a.Outcome != want {
				t.Errorf("time %d: %s %s is %s, want %s", i, a.Section, a.Name, a.Outcome, want)
			}
		}
	}
	p, err := db.Providers().List(t.Context())
	if err != nil || len(p) != 1 {
		t.Fatal(err)
	}
	if key, err := db.Providers().Key(t.Context(), p[0].ID); err != nil || key.Reveal() != canary {
		t.Errorf("the key: %v", err)
	}
	if p[0].StreamUsage == nil || *p[0].StreamUsage || *p[0].Retry.MaxRetries != 0 || p[0].Timeouts.Attempt.Minutes() != 30 || p[0].Models[1].Name != "4" {
		t.Errorf("the provider is %+v", p[0])
	}
	a, err := db.Agents().List(t.Context())
	if err != nil || a[0].Instructions != "Be brief.\nBe exact.\n" || !a[0].Output.BufferAttempts ||
		a[0].Limits != (agent.Limits{ModelCalls: 10, Approval: 5 * time.Minute, Question: 15 * time.Minute}) {
		t.Errorf("the agent is %+v, %v", a, err)
	}
	settings := models.Settings{KeepDays: 90, Limits: agent.Bounds{PerPerson: 2, PerProvider: 8, Queue: 5, ToolCall: 30 * time.Second}}
	if got, err := db.Settings(t.Context()); err != nil || got != settings {
		t.Errorf("the settings are %+v, %v", got, err)
	}
	if _, err := db.Apply(t.Context(), parse(t, "retention: {conversations: never}\nlimits: {tool_call: 1m}\n").Setup); err != nil {
		t.Fatal(err)
	}
	settings.KeepDays, settings.Limits.ToolCall = 0, time.Minute
	if got, err := db.Settings(t.Context()); err != nil || got != settings {
		t.Errorf("after a change of two, the settings are %+v, %v", got, err)
	}
	if _, err := db.Users().Authenticate(t.Context(), "admin@example.com", models.NewSecret("correct horse battery")); err != nil {
		t.Error(err)
	}
}

// What a file leaves out of a mapping is kept, at every depth.
func TestParse_LeftOut(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	if _, err := db.Apply(t.Context(), parse(t, full).Setup); err != nil {
		t.Fatal(err)
	}
	before, err := db.Providers().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	change := "providers: [{name: Local, retry: {base: 1s}, models: [{name: m}]}]"
	if _, err := db.Apply(t.Context(), parse(t, change).Setup); err != nil {
		t.Fatal(err)
	}
	after, err := db.Providers().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := before[0]
	want.Retry.Base *= 2
	want.Models = want.Models[:1]
	want.UpdatedAt = after[0].UpdatedAt
	if diff := cmp.Diff(want, after[0]); diff != "" {
		t.Error(diff)
	}
}

// Each of these is refused, with these lines and words.
func TestParse_Strict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "line 1: the file is empty"},
		{"no mapping", "- a\n", "line 1: the file must be a mapping"},
		{"no YAML", "providers: [\n", "this is not YAML"},
		{"tab", "users:\n\t- x\n", "this is not YAML"},
		{"two documents", "users: []\n---\nusers: []\n", "a second document"},
		{"unknown section", "users: []\nmodels: []\n", `line 2: the file has no field "models"; there are providers, connectors, agents, users`},
		{"section twice", "users: []\nusers: []\n", "line 2: users is there twice"},
		{"section without value", "users:\n", "line 1: users has no value"},
		{"section of another kind", "users: 3\n", "line 1: this must be a list"},
		{"connector without a name", "connectors:\n- stdio: {command: [a]}\n", "line 2: a connector needs a name"},
		{"connector both ways", "connectors:\n- name: A\n  stdio: {command: [a]}\n  http: {url: \"https://a.example\"}\n", "line 2: a connector has stdio or http, not both"},
		{"stdio without a command", "connectors:\n- name: A\n  stdio: {dir: /a}\n", "line 3: stdio needs a command"},
		{"header that is no text", "connectors:\n- name: A\n  http: {url: \"https://a.example\", headers: {A: 1}}\n", "line 3: headers needs text for each name"},
		{"merge key", "users:\n  - &a {email: a@example.com}\n  - <<: *a\n", `line 3: a user has no field "<<"`},
		{"alias", "agents:\n  - name: &a x\n    instructions: *a\n", "line 3: aliases are not taken"},
		{"unknown provider field", "providers:\n  - name: L\n    apikey: x\n", `line 3: a provider has no field "apikey"`},
		{"no name", "providers:\n  - {api: chat-completions}\n", "line 2: a provider needs a name"},
		{"name twice", "providers:\n  - name: L\n  - name: l\n", "line 3: the name of a provider is there twice"},
		{"name is a number", "providers:\n  - name: 3\n", "line 2: the name of a provider must be text"},
		{"null", "providers:\n  - name: L\n    stream_usage: null\n", "line 3: stream_usage has no value"},
		{"tilde", "providers:\n  - name: L\n    stream_usage: ~\n", "line 3: stream_usage has no value"},
		{"yes is text", "providers:\n  - name: L\n    stream_usage: yes\n", "line 3: stream_usage must be true or false"},
		{"no API", "providers:\n  - name: L\n    api: grpc\n", "line 3: api must be responses, anthropic or chat-completions"},
		{"address", "providers:\n  - name: L\n    base_url: file:///x\n", "line 3: base_url: The address must start"},
		{"metadata address", "providers:\n  - name: L\n    base_url: http://169.254.169.254/v1\n", "line 3: base_url: Countersign never connects"},
		{"key in the file", "providers:\n  - name: L\n    credentials: " + canary + "\n", "line 3: credentials must be none, {env: NAME}"},
		{"key in a field", "providers:\n  - name: L\n    credentials: {key: " + canary + "}\n", `line 3: credentials has no field "key"`},
		{"two ways", "providers:\n  - name: L\n    credentials: {env: A, sealed_file: key}\n", "line 3: credentials must be none"},
		{"no such file", "providers:\n  - name: L\n    credentials: {sealed_file: nowhere}\n", "line 3: sealed_file: the file can't be read"},
		{"tokens", "providers:\n  - name: L\n    max_output_tokens: 0\n", "line 3: max_output_tokens must be a whole number from 1"},
		{"fraction", "providers:\n  - name: L\n    max_output_tokens: 1.5\n", "line 3: max_output_tokens must be a whole number"},
		{"retries", "providers:\n  - name: L\n    retry: {max_retries: 6}\n", "line 3: max_retries must be a whole number from 0 to 5"},
		{"duration", "providers:\n  - name: L\n    timeouts:\n      idle: 5\n", "line 4: idle must be a time"},
		{"model twice", "providers:\n  - name: L\n    models: [{name: m}, {name: m}]\n", `line 3: the model "m" is there twice`},
		{"model without a name", "providers:\n  - name: L\n    models: [{context_window: 1}]\n", "line 3: a model needs a name"},
		{"tool", "agents:\n  - name: A\n    tools:\n      - shell\n", `line 4: there is no tool "shell"; there are current_time, notes_read`},
		{"tool twice", "agents:\n  - name: A\n    tools: [notes_read, notes_read]\n", "line 3: the tool notes_read is there twice"},
		{"half a model", "agents:\n  - name: A\n    model: {name: m}\n", "line 3: model needs a provider and a name"},
		{"model calls", "agents:\n  - name: A\n    limits: {model_calls: 51}\n", "line 3: model_calls must be a whole number from 1 to 50"},
		{"approval", "agents:\n  - name: A\n    limits: {approval: 0s}\n", "line 3: approval must be a time"},
		{"retention", "retention: {files: 1d}\n", `line 1: retention has no field "files"; there are conversations`},
		{"retention without unit", "retention:\n  conversations: 90\n", "line 2: conversations must be a number of days from 1d to 3650d"},
		{"retention of no time", "retention: {conversations: 0d}\n", "line 1: conversations must be a number of days"},
		{"retention of a fraction", "retention: {conversations: 1.5d}\n", "line 1: conversations must be a number of days"},
		{"limit", "limits: {runs: 1}\n", `line 1: limits has no field "runs"; there are runs_per_person, runs_per_provider, queued_messages, tool_call`},
		{"runs", "limits:\n  runs_per_person: 0\n", "line 2: runs_per_person must be a whole number from 1 to 1000"},
		{"queue", "limits: {queued_messages: 51}\n", "line 1: queued_messages must be a whole number from 1 to 50"},
		{"tool call", "limits: {tool_call: 2h}\n", "line 1: tool_call must be a time from 1s to 1h0m0s"},
		{"role", "users:\n  - email: a@example.com\n    role: owner\n", "line 3: role must be admin or member"},
		{"password in the file", "users:\n  - {email: a@example.com, password: " + canary + "}\n", `line 2: a user has no field "password"`},
		{"no email", "users:\n  - {name: A}\n", "line 2: a user needs an email"},
		{"too long", "#" + strings.Repeat("x", provision.MaxFile), "line 1: the file is longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := provision.Parse([]byte(c.text), context())
			if !errors.As(err, new(provision.Problems)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestParse_AllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := provision.Parse([]byte("rules: []\nusers:\n  - role: owner\nproviders:\n  - x: 1\n"), context())
	var problems provision.Problems
	if !errors.As(err, &problems) {
		t.Fatal(err)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{1, 3, 3, 5, 5}, lines); diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

// What only storage knows is refused by line as well.
func TestExplain(t *testing.T) {
	t.Parallel()
	const provider = "providers:\n  - name: L\n    api: chat-completions\n    base_url: https://api.example/v1\n    models: [{name: m}]\n"
	for _, c := range []struct{ name, text, want string }{
		{"new without address", "providers:\n  - name: L\n    api: chat-completions\n    models: [{name: m}]\n", "line 2: base_url: A new provider needs an address."},
		{"new without API", "providers:\n  - name: L\n    base_url: https://a.example\n    models: [{name: m}]\n", "line 2: api: A new provider needs an API"},
		{"private", "providers:\n  - name: L\n    api: chat-completions\n    base_url: http://10.0.0.1/v1\n    models: [{name: m}]\n", "line 4: base_url: This address is on this machine"},
		{"no models", "providers:\n  - name: L\n    api: chat-completions\n    base_url: https://a.example\n    models: []\n", "line 5: models: List at least one model."},
		{"variable", provider + "    credentials: {env: not-a-name}\n", "line 6: credentials: Enter the name of a variable"},
		{"agent's provider", provider + "agents:\n  - name: A\n    model: {provider: X, name: m}\n", `line 8: model: There is no provider "X".`},
		{"agent's model", provider + "agents:\n  - name: A\n    model: {provider: L, name: x}\n", `line 8: model: The provider "L" does not list the model "x".`},
		{"person", "users:\n  - {email: a@example.com, name: A, role: member}\n", "line 2: password_file: A new person needs a password."},
		{"email", "users:\n  - name: A\n    email: a\n    role: member\n    password_file: password\n", "line 3: email: Enter an email address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, c.text)
			_, err := modelstest.Open(t).Apply(t.Context(), f.Setup)
			var refused *models.SetupError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a SetupError", err)
			}
			if got := f.Explain(refused).Error(); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add("providers: [{name: &a x, base_url: *a}]")
	f.Add("? [a]\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := provision.Parse([]byte(text), context())
		if (file == nil) != (err != nil) {
			t.Errorf("got %v and %v", file, err)
		}
	})
}
