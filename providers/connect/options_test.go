package connect_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/connect"
)

func answer(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Everything that is configured reaches the service of an Anthropic
// connection, and what is left out is not sent (contract R7, R9, R10, P24,
// P25).
func TestOpen_Anthropic(t *testing.T) {
	t.Parallel()
	thinking := func(kind providers.ThinkingType, budget int) *providers.Thinking {
		return &providers.Thinking{Type: kind, BudgetTokens: budget}
	}
	for _, c := range []struct {
		name     string
		config   connect.Config
		caching  any
		thinking any
	}{
		{"nothing", connect.Config{}, map[string]any{"type": "ephemeral"}, nil},
		{"caching on", connect.Config{PromptCaching: ptr(true)}, map[string]any{"type": "ephemeral"}, nil},
		{"caching off", connect.Config{PromptCaching: ptr(false)}, nil, nil},
		{"adaptive", connect.Config{Thinking: thinking(providers.ThinkingAdaptive, 0), PromptCaching: ptr(false)},
			nil, map[string]any{"type": "adaptive"}},
		{"disabled", connect.Config{Thinking: thinking(providers.ThinkingDisabled, 0), PromptCaching: ptr(false)},
			nil, map[string]any{"type": "disabled"}},
		{"enabled", connect.Config{Thinking: thinking(providers.ThinkingEnabled, 2048), PromptCaching: ptr(false), MaxOutputTokens: 4096},
			nil, map[string]any{"type": "enabled", "budget_tokens": 2048.0}},
		{"clamped", connect.Config{Thinking: thinking(providers.ThinkingEnabled, 8192), PromptCaching: ptr(false), MaxOutputTokens: 4096},
			nil, map[string]any{"type": "enabled", "budget_tokens": 4095.0}},
		{"no room", connect.Config{Thinking: thinking(providers.ThinkingEnabled, 2048), PromptCaching: ptr(false), MaxOutputTokens: 1024}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.config.API, c.config.Key = providers.APIAnthropic, key("the-key")
			header, body, path := call(t, c.config, answer(t, "anthropic.sse"))
			if path != "/v1/messages" || header.Get("X-Api-Key") != "the-key" || header.Get("Authorization") != "" {
				t.Errorf("sent to %s with %q and %q", path, header.Get("X-Api-Key"), header.Get("Authorization"))
			}
			if diff := cmp.Diff(c.caching, body["cache_control"]); diff != "" {
				t.Errorf("caching: %s", diff)
			}
			if shown, ok := body["thinking"].(map[string]any); ok {
				delete(shown, "display") // follows what the run asks to see
			}
			if diff := cmp.Diff(c.thinking, body["thinking"]); diff != "" {
				t.Errorf("thinking: %s", diff)
			}
			if want := c.config.MaxOutputTokens; want > 0 && body["max_tokens"] != float64(want) {
				t.Errorf("max_tokens is %v, want %d", body["max_tokens"], want)
			}
		})
	}
}

// Everything that is configured reaches the service of a Responses connection.
func TestOpen_Responses(t *testing.T) {
	t.Parallel()
	header, body, path := call(t, connect.Config{
		API: providers.APIResponses, BaseURL: "/v1", Key: key("the-key"), MaxOutputTokens: 77,
	}, answer(t, "responses.sse"))
	if path != "/v1/responses" || header.Get("Authorization") != "Bearer the-key" {
		t.Errorf("sent to %s with %q", path, header.Get("Authorization"))
	}
	if body["max_output_tokens"] != 77.0 || body["model"] != "m" {
		t.Errorf("sent %v", body)
	}
}

// A token goes as such to every API, and nothing else does (contract P15).
func TestOpen_Token(t *testing.T) {
	t.Parallel()
	answers := map[providers.API]string{
		providers.APIChatCompletions: chatAnswer,
		providers.APIAnthropic:       answer(t, "anthropic.sse"),
		providers.APIResponses:       answer(t, "responses.sse"),
	}
	for _, api := range apis {
		header, _, _ := call(t, connect.Config{API: api, BaseURL: "/v1", Key: key("a-token"), Bearer: true}, answers[api])
		if header.Get("Authorization") != "Bearer a-token" || header.Get("X-Api-Key") != "" {
			t.Errorf("%s: sent %q and %q", api, header.Get("Authorization"), header.Get("X-Api-Key"))
		}
	}
}
