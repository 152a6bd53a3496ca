package provision_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
	"countersign/web/provision"
)

// three says everything that a file can say of providers.
const three = `
providers:
  - name: Chat
    api: chat-completions
    base_url: http://127.0.0.1:11434/v1
    allow_private_network: true
    credentials: {env: LOCAL_KEY}
    stream_usage: false
    output_limit_field: max_completion_tokens
    max_output_tokens: 4096
    retry: {max_retries: 0, base: 500ms, cap: 10s, retry_after_cap: 1m}
    timeouts: {first_byte: 60s, idle: 5m, attempt: 30m}
    models:
      - name: m
        context_window: 128000
        images: true
        pdf: true
        tools: false
        reasoning: true
        price: {input: 1.5, output: 4, cache_read: 0.15, cache_write: 0}
      - name: "4"
  - name: Messages
    api: anthropic
    base_url: https://api.example
    credentials: {command: [print-token, --for, messages], env: [TOKEN_HOST]}
    prompt_caching: false
    thinking: {type: enabled, budget_tokens: 2048}
    models: [{name: c}]
  - name: Responses
    api: responses
    base_url: https://api.example/v1
    credentials: {memory: true}
    models: [{name: g, price: {input: 1, output: 2}}]
`

// apply applies a file and returns what is stored then, by name.
func apply(t *testing.T, db *models.DB, text string, want ...models.Outcome) map[string]models.Provider {
	t.Helper()
	applied, err := db.Apply(t.Context(), parse(t, text).Setup)
	if err != nil {
		t.Fatal(err)
	}
	var got []models.Outcome
	for _, a := range applied {
		got = append(got, a.Outcome)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes: %s", diff)
	}
	list, err := db.Providers().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]models.Provider)
	for _, p := range list {
		byName[p.Name] = p
	}
	return byName
}

func ptr[T any](v T) *T { return &v }

func TestProviders_EverythingInTheFile(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	first := apply(t, db, three, models.Created, models.Created, models.Created)
	again := apply(t, db, three, models.Unchanged, models.Unchanged, models.Unchanged)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("applying it again changed something: %s", diff)
	}
	want := map[string]models.Provider{
		"Chat": {
			API: providers.APIChatCompletions, BaseURL: "http://127.0.0.1:11434/v1", AllowPrivateNetwork: true,
			Credential: models.CredentialEnv, CredentialEnv: "LOCAL_KEY",
			ProviderOptions: models.ProviderOptions{
				StreamUsage: ptr(false), OutputLimitField: models.OutputLimitMaxCompletionTokens, MaxOutputTokens: 4096,
				Retry:    agent.RetryPolicy{MaxRetries: ptr(0), Base: 500 * time.Millisecond, Cap: 10 * time.Second, AfterCap: time.Minute},
				Timeouts: models.Timeouts{FirstByte: time.Minute, Idle: 5 * time.Minute, Attempt: 30 * time.Minute},
				Models: []models.ProviderModel{
					{
						Name: "m", ContextWindow: 128000, Images: true, PDF: true, Tools: ptr(false), Reasoning: ptr(true),
						Price: &agent.Price{Input: 1.5, Output: 4, CacheRead: ptr(0.15), CacheWrite: ptr(0.0)},
					},
					{Name: "4"},
				},
			},
		},
		"Messages": {
			API: providers.APIAnthropic, BaseURL: "https://api.example", Credential: models.CredentialCommand,
			CredentialCommand: models.TokenCommand{Argv: []string{"print-token", "--for", "messages"}, Env: []string{"TOKEN_HOST"}},
			ProviderOptions: models.ProviderOptions{
				PromptCaching: ptr(false), Thinking: &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 2048},
				Models: []models.ProviderModel{{Name: "c"}},
			},
		},
		"Responses": {
			API: providers.APIResponses, BaseURL: "https://api.example/v1", Credential: models.CredentialMemory,
			ProviderOptions: models.ProviderOptions{
				Models: []models.ProviderModel{{Name: "g", Price: &agent.Price{Input: 1, Output: 2}}},
			},
		},
	}
	for name, w := range want {
		got := first[name]
		w.ID, w.Name, w.CreatedAt, w.UpdatedAt = got.ID, name, got.CreatedAt, got.UpdatedAt
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What a file leaves out is kept, in each API and at every depth.
func TestProviders_LeftOutOfTheFile(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	want := apply(t, db, three, models.Created, models.Created, models.Created)
	got := apply(t, db, `
providers:
  - name: Chat
    models: [{name: m, images: false, price: {output: 5}}, {name: "4"}]
  - name: Messages
    thinking: {type: adaptive}
  - name: Responses
`, models.Updated, models.Updated, models.Unchanged)
	chat, messages := want["Chat"], want["Messages"]
	chat.Models[0].Images = false
	chat.Models[0].Price.Output = 5
	messages.Thinking = &providers.Thinking{Type: providers.ThinkingAdaptive}
	chat.UpdatedAt, messages.UpdatedAt = got["Chat"].UpdatedAt, got["Messages"].UpdatedAt
	want["Chat"], want["Messages"] = chat, messages
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A key that a person entered for memory outlives the file that says it is
// kept there.
func TestProviders_MemoryKeyOutlivesTheFile(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	id := apply(t, db, three, models.Created, models.Created, models.Created)["Responses"].ID
	if state, err := db.Providers().KeyState(t.Context(), id); err != nil || state.Present {
		t.Errorf("at first: %+v, %v, want no key", state, err)
	}
	entered := models.Credential{Kind: models.CredentialMemory, Key: models.NewSecret(canary)}
	if _, err := db.Providers().Update(t.Context(), id, models.ProviderUpdate{Credential: &entered}); err != nil {
		t.Fatal(err)
	}
	apply(t, db, three, models.Unchanged, models.Unchanged, models.Unchanged)
	if key, err := db.Providers().Key(t.Context(), id); err != nil || key.Reveal() != canary {
		t.Errorf("the key: %v", err)
	}
}

// Each of these is refused, with these lines and words.
func TestProviders_StrictFile(t *testing.T) {
	t.Parallel()
	const head = "providers:\n  - name: L\n"
	for _, c := range []struct{ name, text, want string }{
		{"usage of Anthropic", "    api: anthropic\n    stream_usage: true\n", "line 4: stream_usage is an option of api: chat-completions, and not of anthropic"},
		{"usage of Responses", "    stream_usage: true\n    api: responses\n", "line 3: stream_usage is an option of api: chat-completions, and not of responses"},
		{"caching of Chat Completions", "    api: chat-completions\n    prompt_caching: true\n", "line 4: prompt_caching is an option of api: anthropic, and not of chat-completions"},
		{"caching of Responses", "    api: responses\n    prompt_caching: false\n", "line 4: prompt_caching is an option of api: anthropic, and not of responses"},
		{"thinking of Chat Completions", "    api: chat-completions\n    thinking: {type: adaptive}\n", "line 4: thinking is an option of api: anthropic"},
		{"limit field of Anthropic", "    api: anthropic\n    output_limit_field: max_tokens\n", "line 4: output_limit_field is an option of api: chat-completions"},
		{"limit field", "    output_limit_field: tokens\n", "line 3: output_limit_field must be max_tokens or max_completion_tokens"},
		{"thinking of no type", "    thinking: {budget_tokens: 2048}\n", "line 3: thinking must be {type: adaptive}"},
		{"thinking of another type", "    thinking: {type: deep}\n", "line 3: type must be adaptive, enabled or disabled"},
		{"thinking without a budget", "    thinking: {type: enabled}\n", "line 3: thinking must be"},
		{"thinking with a budget", "    thinking: {type: adaptive, budget_tokens: 2048}\n", "line 3: thinking must be"},
		{"thinking too little", "    thinking:\n      type: enabled\n      budget_tokens: 1023\n", "line 5: budget_tokens must be a whole number from 1024"},
		{"thinking as text", "    thinking: adaptive\n", "line 3: thinking must be a mapping"},
		{"memory off", "    credentials: {memory: false}\n", "line 3: memory can only be true"},
		{"memory with a key", "    credentials: {memory: " + canary + "}\n", "line 3: memory must be true or false"},
		{"memory and a file", "    credentials: {memory: true, sealed_file: key}\n", "line 3: credentials must be none"},
		{"variables without a command", "    credentials: {env: [A]}\n", "line 3: env must be text"},
		{"a shell's command", "    credentials:\n      command: print-token\n", "line 4: this must be a list"},
		{"a number in a command", "    credentials: {command: [a, 1]}\n", "line 3: a part of the command must be text"},
		{"one variable of a command", "    credentials: {command: [a], env: B}\n", "line 3: this must be a list"},
		{"a command in memory", "    credentials: {command: [a], memory: true}\n", "line 3: credentials must be none"},
		{"price of another kind", "    models:\n      - name: m\n        price: {input: free}\n", "line 5: input must be 0 to 100000"},
		{"price below zero", "    models: [{name: m, price: {input: -1, output: 1}}]\n", "line 3: input must be 0 to 100000"},
		{"price without bounds", "    models: [{name: m, price: {input: 1, output: .inf}}]\n", "line 3: output must be 0 to 100000"},
		{"price that is none", "    models: [{name: m, price: {input: .nan, output: 1}}]\n", "line 3: input must be 0 to 100000"},
		{"field of a price", "    models: [{name: m, price: {cached: 1}}]\n", `line 3: a price has no field "cached"`},
		{"images", "    models: [{name: m, images: maybe}]\n", "line 3: images must be true or false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := provision.Parse([]byte(head+c.text), context())
			if !errors.As(err, new(provision.Problems)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), canary) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

// What only storage knows is refused by line as well, and changes nothing.
func TestProviders_FileThatStorageRefuses(t *testing.T) {
	t.Parallel()
	const responses = "providers:\n  - name: Responses\n"
	for _, c := range []struct{ name, text, want string }{
		{"option of another API", responses + "    prompt_caching: true\n", "line 3: prompt_caching: Only Anthropic has this option."},
		{"thinking of another API", responses + "    thinking: {type: adaptive}\n", "line 3: thinking: Only Anthropic has this option."},
		{"limit field of another API", responses + "    output_limit_field: max_tokens\n", "line 3: output_limit_field: Only Chat Completions has this option."},
		{"usage of another API", responses + "    stream_usage: true\n", "line 3: stream_usage: Only Chat Completions has this option."},
		{"half a price", responses + "    models:\n      - {name: new, price: {input: 1}}\n", `line 3: models: The price of "new" needs input and output.`},
		{"empty command", responses + "    credentials: {command: []}\n", "line 3: credentials: Enter the command."},
		{"key in a command", responses + "    credentials: {command: [a, sk-0123456789abcdefghij]}\n", "line 3: credentials: This looks like a key."},
		{"sealing key for a command", responses + "    credentials: {command: [a], env: [COUNTERSIGN_KEY]}\n", "line 3: credentials: The sealing key"},
		{"keychain where there is none", responses + "    credentials: {keychain: true}\n", "line 3: credentials: This system has no keychain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.Open(t)
			apply(t, db, three, models.Created, models.Created, models.Created)
			f := parse(t, c.text)
			_, err := db.Apply(t.Context(), f.Setup)
			var refused *models.SetupError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, want a SetupError", err)
			}
			if got := f.Explain(refused).Error(); !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			apply(t, db, three, models.Unchanged, models.Unchanged, models.Unchanged)
		})
	}
}
