package responses_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/providers/responses"
	"countersign/providers/upstream"
)

// sentBy performs requests against answers and returns the last body.
func sentBy(t *testing.T, c responses.Config, answers []providertest.Answer, req func(last *providers.Finish) providers.Request) []byte {
	t.Helper()
	server := providertest.NewServer(t, answers...)
	c.BaseURL = server.URL
	client := newClient(t, c)
	var last *providers.Finish
	for range answers {
		o := providertest.Stream(t.Context(), t, client, req(last))
		if o.Finish == nil {
			t.Fatalf("got %v", o.Failure)
		}
		last = o.Finish
	}
	list := server.Requests()
	return list[len(list)-1].Body
}

func TestRequest(t *testing.T) {
	t.Parallel()
	tool := providers.ToolSpec{Name: "read", Description: "Reads.", Parameters: json.RawMessage(`{"type":"object"}`)}
	history := []providers.Message{
		providers.UserMessage{Text: "a"},
		providers.AssistantMessage{Text: "b", Calls: []providers.ToolCall{{ID: "t_1", Name: "read", Arguments: ""}}},
		providers.ToolResult{CallID: "t_1", Text: "gone", IsError: true},
		providers.AssistantMessage{Refusal: "no"},
		providers.UserMessage{Text: "c"},
	}
	files := []providers.File{
		{Name: "a \"b\".png", Type: "image/png", Data: []byte("\x89PNG\xff")}, {Name: "c.pdf", Type: "application/pdf", Data: []byte("%PDF-1")},
		{Name: "d.md", Type: "text/plain", Data: []byte("<d>\n")},
	}
	tests := map[string]struct {
		config responses.Config
		req    providers.Request
		want   string
	}{
		"plain": {responses.Config{}, providers.Request{Model: "m", Messages: history[:1]},
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}`},
		"files": {responses.Config{}, providers.Request{Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Look", Files: files}, providers.UserMessage{Files: files[:1]}}},
			`{"model":"m","input":[{"type":"message","role":"user","content":[
				{"type":"input_image","image_url":"data:image/png;base64,iVBOR/8=","detail":"auto"},
				{"type":"input_file","filename":"c.pdf","file_data":"data:application/pdf;base64,JVBERi0x"},
				{"type":"input_text","text":"File \"d.md\":\n\n<d>\n"},
				{"type":"input_text","text":"Look"}
			]},{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,iVBOR/8=","detail":"auto"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}`},
		"everything": {responses.Config{MaxOutputTokens: 100}, providers.Request{Model: "m", System: "Be exact.", Reasoning: true, Tools: []providers.ToolSpec{tool}, Messages: history},
			`{"model":"m","instructions":"Be exact.","input":[
				{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},
				{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]},
				{"type":"function_call","call_id":"t_1","name":"read","arguments":"{}"},
				{"type":"function_call_output","call_id":"t_1","output":"Error: gone"},
				{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"c"}]}
			],"stream":true,"store":false,"include":["reasoning.encrypted_content"],"reasoning":{"summary":"auto"},"max_output_tokens":100,
			"tools":[{"type":"function","name":"read","description":"Reads.","parameters":{"type":"object"},"strict":false}]}`},
		"the request's own limit": {responses.Config{MaxOutputTokens: 100}, providers.Request{Model: "m", MaxOutputTokens: 50, Messages: history[:1]},
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"],"max_output_tokens":50}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sentBy(t, tt.config, []providertest.Answer{closing}, func(*providers.Finish) providers.Request { return tt.req })
			if diff := cmp.Diff(providertest.JSON(t, []byte(tt.want)), providertest.JSON(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequestHead(t *testing.T) {
	t.Parallel()
	for key, authorization := range map[string]string{"sk-test": "Bearer sk-test", "": ""} {
		for _, base := range []string{"", "/", "/v1", "/v1//"} {
			server := providertest.NewServer(t, closing)
			config := responses.Config{BaseURL: server.URL + base}
			if key != "" {
				config.Key = func(context.Context) (string, error) { return key, nil }
			}
			providertest.Stream(t.Context(), t, newClient(t, config), providertest.NewRequest(false))
			got := server.Requests()[0]
			if want := strings.TrimRight(base, "/") + "/responses"; got.Method != "POST" || got.Path != want {
				t.Errorf("got %s %s, want POST %s", got.Method, got.Path, want)
			}
			for name, want := range map[string]string{"Authorization": authorization, "Content-Type": "application/json", "Accept": "text/event-stream"} {
				if got.Header.Get(name) != want {
					t.Errorf("got %s %q, want %q", name, got.Header.Get(name), want)
				}
			}
		}
	}
}

// A model without reasoning refuses its summary: that is for people to know,
// and nothing is asked a second time without it (contract P22).
func TestRejectedOptionIsNotRetried(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, providertest.Answer{
		Status: 400, Body: []byte(`{"error":{"message":"Unsupported parameter: 'reasoning.summary'","type":"invalid_request_error","code":"unsupported_parameter","param":"reasoning.summary"}}`),
	})
	got := providertest.Stream(t.Context(), t, newClient(t, responses.Config{BaseURL: server.URL}), providertest.NewRequest(true))
	if f := got.Failure; f == nil || f.Category != providers.CategoryInvalidRequest || f.Code != "unsupported_parameter" || f.Retryable {
		t.Errorf("got %+v, %v", got.Finish, got.Failure)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("got %d requests", n)
	}
}

// What can't be sent is not sent.
func TestUnusableRequests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key    string
		schema string
		code   string
	}{
		"an empty key":             {"", `{}`, upstream.CodeCredentialMissing},
		"a key with a line break":  {"sk\nX-Other: 1", `{}`, upstream.CodeCredentialInvalid},
		"a schema that is no JSON": {"sk", `{"type":`, upstream.CodeRequestInvalid},
	} {
		server := providertest.NewServer(t)
		client := newClient(t, responses.Config{BaseURL: server.URL, Key: func(context.Context) (string, error) { return tt.key, nil }})
		req := providertest.NewRequest(false)
		req.Tools = []providers.ToolSpec{{Name: "read", Parameters: json.RawMessage(tt.schema)}}
		want := &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIResponses, Code: tt.code}
		if diff := cmp.Diff(want, providertest.Stream(t.Context(), t, client, req).Failure); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if n := len(server.Requests()); n != 0 {
			t.Errorf("%s: got %d requests", name, n)
		}
	}
}
