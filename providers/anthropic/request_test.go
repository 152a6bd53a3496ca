package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sent returns the request that the service gets.
func sent(t *testing.T, c anthropic.Config, req providers.Request) providertest.Request {
	t.Helper()
	server := providertest.NewServer(t, closing)
	c.BaseURL = server.URL + c.BaseURL
	if got := providertest.Stream(t.Context(), t, newClient(t, c), req); got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	return server.Requests()[0]
}

func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	got := string(body) + "\n"
	path := filepath.Join("testdata", "requests", name+".json")
	want, err := os.ReadFile(path)
	if diff := cmp.Diff(string(want), got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRequestBodies(t *testing.T) {
	t.Parallel()
	user := providers.UserMessage{Text: "What about <b>Oslo</b> & \u2028Rome?"}
	files := []providers.File{
		{Name: "a \"b\".png", Type: "image/png", Data: []byte("\x89PNG\xff")}, {Name: "c.pdf", Type: "application/pdf", Data: []byte("%PDF-1")},
		{Name: "d.md", Type: "text/plain", Data: []byte("<d>\n")},
	}
	calls := []providers.ToolCall{
		{ID: "c1", Name: "read", Arguments: `{"a": 1.0}`, Executable: true}, {ID: "c2", Name: "write", Executable: true},
	}
	results := []providers.Message{
		providers.ToolResult{CallID: "c1", Text: "one"},
		providers.ToolResult{CallID: "c2", Text: "no such file", IsError: true},
	}
	after := func(m providers.AssistantMessage, more ...providers.Message) []providers.Message {
		return append(append([]providers.Message{user, m}, results...), more...)
	}
	off := false
	tests := []struct {
		name   string
		config anthropic.Config
		req    providers.Request
	}{
		{"plain", anthropic.Config{}, providers.Request{Model: "m", Messages: []providers.Message{user}}},
		{"no_caching_and_system", anthropic.Config{PromptCaching: &off, MaxOutputTokens: 100},
			providers.Request{Model: "m", System: "Be brief.", Messages: []providers.Message{user}}},
		{"caching_on", anthropic.Config{PromptCaching: new(true)},
			providers.Request{Model: "m", System: " \n", MaxOutputTokens: 512, Messages: []providers.Message{user}}},
		{"files", anthropic.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Look", Files: files}, providers.UserMessage{Files: files[:1]}},
		}},
		{"tools", anthropic.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{user},
			Tools: []providers.ToolSpec{
				{Name: "read", Description: "Reads <a> note", Parameters: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)},
				{Name: "now"},
			},
		}},
		{"parallel_calls", anthropic.Config{}, providers.Request{
			Model:    "m",
			Messages: after(providers.AssistantMessage{Text: "Wait.", Calls: calls}, providers.AssistantMessage{Text: "Done."}, providers.UserMessage{Text: "Thanks"}),
		}},
		// What a person writes while results are due comes after them, in the
		// same message.
		{"text_after_results", anthropic.Config{}, providers.Request{
			Model: "m", Messages: after(providers.AssistantMessage{Calls: calls}, providers.UserMessage{Text: "And hurry"}, providers.UserMessage{Text: "!"}),
		}},
		{"blank_texts", anthropic.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{
				providers.UserMessage{Text: " "}, user, providers.AssistantMessage{Text: "\n", Calls: calls[1:]},
				providers.ToolResult{CallID: "c2"}, providers.AssistantMessage{Calls: calls[:1]},
				providers.ToolResult{CallID: "c1", Text: "\t", IsError: true}, providers.AssistantMessage{}, providers.UserMessage{},
			},
		}},
		{"refused_turn", anthropic.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{user, providers.AssistantMessage{Text: "Well,", Refusal: "I can't."}, providers.UserMessage{Text: "Why?"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			golden(t, tt.name, sent(t, tt.config, tt.req).Body)
		})
	}
}

// The mode is sent as it is configured, with a budget that fits below the
// output limit, or it is left out (contract R8 to R14).
func TestThinking(t *testing.T) {
	t.Parallel()
	enabled := func(budget int) *providers.Thinking {
		return &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: budget}
	}
	adaptive := &providers.Thinking{Type: providers.ThinkingAdaptive}
	disabled := &providers.Thinking{Type: providers.ThinkingDisabled}
	tests := []struct {
		name       string
		thinking   *providers.Thinking
		configured int // output limits
		requested  int
		reasoning  bool
		omit       bool
		want       string
	}{
		{name: "none", want: ""},
		{name: "none, reasoning asked for", reasoning: true, want: ""},
		{name: "adaptive", thinking: adaptive, want: `{"type":"adaptive"}`},
		{name: "adaptive, shown", thinking: adaptive, reasoning: true, want: `{"type":"adaptive","display":"summarized"}`},
		{name: "adaptive with a small limit", thinking: adaptive, requested: 10, want: `{"type":"adaptive"}`},
		{name: "adaptive, omitted", thinking: adaptive, reasoning: true, omit: true, want: ""},
		{name: "disabled", thinking: disabled, want: `{"type":"disabled"}`},
		{name: "disabled, reasoning asked for", thinking: disabled, reasoning: true, want: `{"type":"disabled"}`},
		{name: "disabled, omitted", thinking: disabled, omit: true, want: ""},
		{name: "below the default limit", thinking: enabled(2048), want: `{"type":"enabled","budget_tokens":2048}`},
		{name: "above the default limit", thinking: enabled(50_000), want: `{"type":"enabled","budget_tokens":16383}`},
		{name: "shown", thinking: enabled(2048), reasoning: true, want: `{"type":"enabled","budget_tokens":2048,"display":"summarized"}`},
		{name: "omitted", thinking: enabled(2048), reasoning: true, omit: true, want: ""},
		{name: "just below the limit", thinking: enabled(2048), configured: 2049, want: `{"type":"enabled","budget_tokens":2048}`},
		{name: "at the limit", thinking: enabled(2048), configured: 2048, want: `{"type":"enabled","budget_tokens":2047}`},
		{name: "the request's limit counts", thinking: enabled(2048), configured: 4096, requested: 1500, want: `{"type":"enabled","budget_tokens":1499}`},
		{name: "the smallest that fits", thinking: enabled(2048), requested: 1025, want: `{"type":"enabled","budget_tokens":1024}`},
		{name: "no token of answer left", thinking: enabled(1024), requested: 1024, want: ""},
		{name: "a reserve for a summary", thinking: enabled(2048), configured: 4096, requested: 512, reasoning: true, want: ""},
		{name: "one token", thinking: enabled(2048), requested: 1, want: ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := providertest.NewRequest(tt.reasoning)
			req.MaxOutputTokens, req.OmitThinking = tt.requested, tt.omit
			var body struct {
				Thinking  json.RawMessage
				MaxTokens int `json:"max_tokens"`
			}
			got := sent(t, anthropic.Config{Thinking: tt.thinking, MaxOutputTokens: tt.configured}, req)
			if err := json.Unmarshal(got.Body, &body); err != nil {
				t.Fatal(err)
			}
			if string(body.Thinking) != tt.want {
				t.Errorf("got %s, want %s", body.Thinking, tt.want)
			}
			limit := anthropic.DefaultMaxOutputTokens
			for _, n := range []int{tt.configured, tt.requested} {
				if n != 0 {
					limit = n
				}
			}
			if body.MaxTokens != limit {
				t.Errorf("got a limit of %d, want %d", body.MaxTokens, limit)
			}
		})
	}
}

func TestRequestHead(t *testing.T) {
	t.Parallel()
	key := func(context.Context) (string, error) { return "sk-test", nil }
	req := providertest.NewRequest(false)
	for base, want := range map[string]string{
		"": "/v1/messages", "/": "/v1/messages", "/v1": "/v1/messages", "/v1/": "/v1/messages", "/v1//": "/v1/messages",
		"/anthropic": "/anthropic/v1/messages", "/anthropic/v1": "/anthropic/v1/messages", "/xv1": "/xv1/v1/messages",
	} {
		if got := sent(t, anthropic.Config{BaseURL: base}, req); got.Method != "POST" || got.Path != want {
			t.Errorf("%q: got %s %s, want POST %s", base, got.Method, got.Path, want)
		}
	}
	for name, tt := range map[string]struct {
		config anthropic.Config
		want   map[string]string
	}{
		"key":    {anthropic.Config{Key: key}, map[string]string{"X-Api-Key": "sk-test", "Authorization": ""}},
		"bearer": {anthropic.Config{Key: key, Bearer: true}, map[string]string{"X-Api-Key": "", "Authorization": "Bearer sk-test"}},
		"none":   {anthropic.Config{Bearer: true}, map[string]string{"X-Api-Key": "", "Authorization": ""}},
	} {
		got := sent(t, tt.config, req).Header
		tt.want["Content-Type"], tt.want["Accept"], tt.want["Anthropic-Version"] = "application/json", "text/event-stream", "2023-06-01"
		tt.want["Accept-Encoding"], tt.want["Anthropic-Beta"] = "", ""
		for header, want := range tt.want {
			if got.Get(header) != want {
				t.Errorf("%s: got %s %q, want %q", name, header, got.Get(header), want)
			}
		}
	}
}

// A service that rejects caching or the mode of thinking gets no second request
// without it, and no other mode.
func TestRejectedOptionIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"cache_control: Extra inputs are not permitted",
		`\"thinking.type.enabled\" is not supported for this model.`,
		`\"thinking.type.disabled\" is not supported for this model.`,
		"adaptive thinking is not supported on this model",
	} {
		server := providertest.NewServer(t, providertest.Answer{
			Status: 400, Body: []byte(`{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `"},"request_id":"req_1"}`),
		})
		client := newClient(t, anthropic.Config{BaseURL: server.URL, Thinking: &providers.Thinking{Type: providers.ThinkingAdaptive}})
		got := providertest.Stream(t.Context(), t, client, providertest.NewRequest(true))
		want := &providers.Error{
			Category: providers.CategoryInvalidRequest, Code: "invalid_request_error", HTTPStatus: 400, RequestID: "req_1", API: providers.APIAnthropic,
		}
		if diff := cmp.Diff(want, got.Failure); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message, diff)
		}
		if n := len(server.Requests()); n != 1 {
			t.Errorf("got %d requests", n)
		}
	}
}

func TestKeyFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key  string
		err  error
		code string
	}{
		"missing":    {"", errors.New("no key stored: secret"), upstream.CodeCredentialMissing},
		"empty":      {"", nil, upstream.CodeCredentialMissing},
		"to enter":   {"", providers.KeyError(providers.CodeKeyNeeded), providers.CodeKeyNeeded},
		"line break": {"sk\nX-Other: 1", nil, upstream.CodeCredentialInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providertest.NewServer(t)
			client := newClient(t, anthropic.Config{
				BaseURL: server.URL, Key: func(context.Context) (string, error) { return tt.key, tt.err },
			})
			want := &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIAnthropic, Code: tt.code}
			if diff := cmp.Diff(want, providertest.Stream(t.Context(), t, client, providertest.NewRequest(false)).Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What can't be said in a request is refused before anything is sent.
func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*providers.Request){
		"schema": func(r *providers.Request) {
			r.Tools = []providers.ToolSpec{{Name: "read", Parameters: json.RawMessage(`{"type":`)}}
		},
		"arguments": func(r *providers.Request) {
			r.Messages = append(r.Messages, providers.AssistantMessage{Calls: []providers.ToolCall{{ID: "c1", Name: "read", Arguments: `[1]`}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := providertest.NewRequest(false)
			change(&req)
			got := providertest.Stream(t.Context(), t, newClient(t, anthropic.Config{BaseURL: providertest.NewServer(t).URL}), req)
			if got.Failure == nil || got.Failure.Code != upstream.CodeRequestInvalid || got.Failure.Category != providers.CategoryConfiguration {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	const base = "https://api.example"
	for _, c := range []anthropic.Config{
		{}, {BaseURL: "ftp://api.example"}, {BaseURL: "http://169.254.169.254"},
		{BaseURL: base, Thinking: &providers.Thinking{}},
		{BaseURL: base, Thinking: &providers.Thinking{Type: "between_tools"}},
		{BaseURL: base, Thinking: &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 1023}},
		{BaseURL: base, Thinking: &providers.Thinking{Type: providers.ThinkingAdaptive, BudgetTokens: 2048}},
	} {
		if _, err := anthropic.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	// Without a client of the caller's, private addresses are out of reach.
	server := providertest.NewServer(t)
	client, err := anthropic.New(anthropic.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got := providertest.Stream(t.Context(), t, client, providertest.NewRequest(false)); got.Failure == nil || got.Failure.Category != providers.CategoryBlocked {
		t.Errorf("got %+v", got)
	}
}
