package connect_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

const chatAnswer = `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":"OK"},"finish_reason":null}]}

data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

var hello = providers.Request{Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Hello"}}}

func key(text string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return text, nil }
}

func ptr[T any](v T) *T { return &v }

// call opens a connection, makes one attempt, and returns what was sent.
func call(t *testing.T, config connect.Config, answer string) (http.Header, map[string]any, string) {
	t.Helper()
	server := providertest.NewServer(t, providertest.Events([]byte(answer)))
	config.ID, config.AllowPrivateNetwork = "p_1", true
	config.BaseURL = server.URL + config.BaseURL
	connections := connect.New()
	t.Cleanup(connections.Close)
	p, err := connections.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for event, err := range p.Stream(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if delta, ok := event.(providers.TextDelta); ok {
			text.WriteString(delta.Text)
		}
	}
	if text.String() != "OK" {
		t.Errorf("the answer is %q", text.String())
	}
	sent := server.Requests()[0]
	var body map[string]any
	if err := json.Unmarshal(sent.Body, &body); err != nil {
		t.Fatal(err)
	}
	return sent.Header, body, sent.Path
}

// Everything that is configured reaches the service of a Chat Completions
// connection.
func TestOpen_ChatCompletions(t *testing.T) {
	t.Parallel()
	header, body, path := call(t, connect.Config{
		API: providers.APIChatCompletions, BaseURL: "/v1", Key: key("the-key"),
		StreamUsage: ptr(false), OutputLimitField: "max_completion_tokens", MaxOutputTokens: 77,
	}, chatAnswer)
	if path != "/v1/chat/completions" || header.Get("Authorization") != "Bearer the-key" {
		t.Errorf("sent to %s with %q", path, header.Get("Authorization"))
	}
	if _, asked := body["stream_options"]; asked || body["max_completion_tokens"] != 77.0 || body["model"] != "m" {
		t.Errorf("sent %v", body)
	}
}

// The bounds of a connection hold for every API.
func TestOpen_Bounds(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			server := providertest.NewServer(t, providertest.Answer{Silent: true, Then: providertest.Stall})
			connections := connect.New()
			defer connections.Close()
			p, err := connections.Open(connect.Config{
				ID: "p_1", API: api, BaseURL: server.URL, AllowPrivateNetwork: true,
				Bounds: upstream.Bounds{FirstByte: 50 * time.Millisecond},
			})
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, p, providers.CategoryTimeout, upstream.CodeFirstEventTimeout)
		})
	}
}

// A connection without its key says so, and sends nothing, for every API.
func TestOpen_MissingKey(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		server := providertest.NewServer(t)
		connections := connect.New()
		defer connections.Close()
		p, err := connections.Open(connect.Config{
			ID: "p_1", API: api, BaseURL: server.URL, AllowPrivateNetwork: true,
			Key: func(context.Context) (string, error) { return "", providers.KeyError(providers.CodeKeyNeeded) },
		})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, p, providers.CategoryConfiguration, providers.CodeKeyNeeded)
	}
}

// An address on this machine has to be allowed, for every API.
func TestOpen_PrivateAddress(t *testing.T) {
	t.Parallel()
	for _, api := range apis {
		server := providertest.NewServer(t)
		connections := connect.New()
		defer connections.Close()
		p, err := connections.Open(connect.Config{ID: "p_1", API: api, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, p, providers.CategoryBlocked, upstream.CodeAddressBlocked)
	}
}

// What no adapter can use is refused before anything is sent.
func TestOpen_Refused(t *testing.T) {
	t.Parallel()
	connections := connect.New()
	defer connections.Close()
	for code, config := range map[string]connect.Config{
		"unsupported_api":   {API: "telepathy", BaseURL: "https://api.example"},
		"unusable_base_url": {API: providers.APIChatCompletions, BaseURL: "api.example"},
	} {
		_, err := connections.Open(config)
		var failure *providers.Error
		if !errors.As(err, &failure) || failure.Category != providers.CategoryConfiguration || failure.Code != code {
			t.Errorf("got %v, want %s", err, code)
		}
	}
}

func wantError(t *testing.T, p providers.Provider, category providers.Category, code string) {
	t.Helper()
	var last error
	for _, err := range p.Stream(t.Context(), hello) {
		last = err
	}
	var failure *providers.Error
	if !errors.As(last, &failure) || failure.Category != category || failure.Code != code {
		t.Errorf("got %v, want %s", last, code)
	}
}
