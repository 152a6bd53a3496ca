package chatcompletions_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func off() *bool { return new(bool) }

// sent returns the request that the service gets.
func sent(t *testing.T, c chatcompletions.Config, req providers.Request) providertest.Request {
	t.Helper()
	server := providertest.NewServer(t, closing)
	c.BaseURL = server.URL + c.BaseURL
	if got := providertest.Stream(t.Context(), t, newClient(t, c), req); got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	return server.Requests()[0]
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
	tests := []struct {
		name   string
		config chatcompletions.Config
		req    providers.Request
	}{
		{"plain", chatcompletions.Config{}, providers.Request{Model: "m", Messages: []providers.Message{user}}},
		{"no_usage_and_system", chatcompletions.Config{StreamUsage: off(), MaxOutputTokens: 100},
			providers.Request{Model: "m", System: "Be brief.", Messages: []providers.Message{user}}},
		{"output_limit", chatcompletions.Config{MaxOutputTokens: 100, OutputLimitField: chatcompletions.MaxCompletionTokens},
			providers.Request{Model: "m", MaxOutputTokens: 512, Messages: []providers.Message{user}}},
		{"files", chatcompletions.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Look", Files: files}, providers.UserMessage{Files: files[:1]}},
		}},
		{"tools", chatcompletions.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{user},
			Tools: []providers.ToolSpec{
				{Name: "read", Description: "Reads <a> note", Parameters: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`)},
				{Name: "now"},
			},
		}},
		{"history", chatcompletions.Config{}, providers.Request{
			Model: "m",
			Messages: append(append([]providers.Message{user, providers.AssistantMessage{Text: "Wait.", Calls: calls}}, results...),
				providers.AssistantMessage{Text: "Done."}, providers.UserMessage{Text: "Thanks"},
				providers.AssistantMessage{Refusal: "I can't."}, providers.UserMessage{}),
		}},
		{"calls_without_text", chatcompletions.Config{}, providers.Request{
			Model: "m", Messages: append([]providers.Message{user, providers.AssistantMessage{Calls: calls}}, results...),
		}},
		{"empty_assistant_message", chatcompletions.Config{}, providers.Request{
			Model: "m", Messages: []providers.Message{user, providers.AssistantMessage{}, user},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(sent(t, tt.config, tt.req).Body) + "\n"
			golden := filepath.Join("testdata", "requests", tt.name+".json")
			want, err := os.ReadFile(golden)
			if diff := cmp.Diff(string(want), got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestRequestHead(t *testing.T) {
	t.Parallel()
	key := func(_ context.Context) (string, error) { return "sk-test", nil }
	req := providertest.NewRequest(false)
	req.Attempt = 3
	for _, base := range []string{"", "/", "/v1", "/v1//", "/v1beta/openai/"} {
		got := sent(t, chatcompletions.Config{BaseURL: base, Key: key, AttemptHeader: true}, req)
		if want := strings.TrimRight(base, "/") + "/chat/completions"; got.Method != "POST" || got.Path != want {
			t.Errorf("got %s %s, want POST %s", got.Method, got.Path, want)
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer sk-test", "Content-Type": "application/json", "Accept": "text/event-stream", "X-Attempt": "3",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("got %s %q, want %q", name, got.Header.Get(name), want)
			}
		}
	}
	bare := sent(t, chatcompletions.Config{}, req)
	for _, name := range []string{"Authorization", "X-Attempt", "Accept-Encoding"} {
		if _, ok := bare.Header[name]; ok {
			t.Errorf("%s is sent", name)
		}
	}
}

// A service that rejects an option gets no second request without it.
func TestRejectedOptionIsNotRetried(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, providertest.Answer{
		Status: 400, Body: []byte(`{"error":{"message":"Unknown parameter: stream_options","code":"unknown_parameter"}}`),
	})
	got := providertest.Stream(t.Context(), t, newClient(t, chatcompletions.Config{BaseURL: server.URL}), providertest.NewRequest(false))
	if got.Failure == nil || got.Failure.Code != "unknown_parameter" || got.Failure.Retryable {
		t.Errorf("got %+v", got)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("got %d requests", n)
	}
}

func TestKeyFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key  string
		err  error
		code string
	}{
		"missing":     {"", errors.New("no key stored: secret"), upstream.CodeCredentialMissing},
		"empty":       {"", nil, upstream.CodeCredentialMissing},
		"line break":  {"sk\nX-Other: 1", nil, upstream.CodeCredentialInvalid},
		"not printed": {"sk\u00e9", nil, upstream.CodeCredentialInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := providertest.NewServer(t)
			client := newClient(t, chatcompletions.Config{
				BaseURL: server.URL, Key: func(context.Context) (string, error) { return tt.key, tt.err },
			})
			want := &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIChatCompletions, Code: tt.code}
			if diff := cmp.Diff(want, providertest.Stream(t.Context(), t, client, providertest.NewRequest(false)).Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidToolSchema(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t)
	req := providertest.NewRequest(false)
	req.Tools = []providers.ToolSpec{{Name: "read", Parameters: json.RawMessage(`{"type":`)}}
	got := providertest.Stream(t.Context(), t, newClient(t, chatcompletions.Config{BaseURL: server.URL}), req)
	if got.Failure == nil || got.Failure.Code != upstream.CodeRequestInvalid {
		t.Errorf("got %+v", got)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, c := range []chatcompletions.Config{
		{}, {BaseURL: "ftp://api.example"}, {BaseURL: "http://169.254.169.254"},
		{BaseURL: "https://api.example", OutputLimitField: "max_length"},
	} {
		if _, err := chatcompletions.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	// Without a client of the caller's, private addresses are out of reach.
	server := providertest.NewServer(t)
	client, err := chatcompletions.New(chatcompletions.Config{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got := providertest.Stream(t.Context(), t, client, providertest.NewRequest(false)); got.Failure == nil || got.Failure.Category != providers.CategoryBlocked {
		t.Errorf("got %+v", got)
	}
}
