package responses_test

import (
	"encoding/json"
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
	tests := map[string]struct {
		config responses.Config
		req    providers.Request
		want   string
	}{
		"plain": {responses.Config{}, providers.Request{Model: "m", Messages: history[:1]},
			`{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}`},
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

const (
	blob     = `gAAAAAB-<&>-blob+/==`
	thinking = `{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"S"}],"encrypted_content":"` + blob + `"}}`
	calling  = `{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"read","arguments":"{ \"n\": 1.0 }"}}`
)

// What was private goes back byte for byte beside its calls, whatever they are
// called here, over any number of rounds.
func TestReplayOverTwoRounds(t *testing.T) {
	t.Parallel()
	round := providertest.Events(stream(thinking, calling, completed))
	var history []providers.Message
	body := sentBy(t, responses.Config{Connection: "p_1"}, []providertest.Answer{round, round, closing}, func(last *providers.Finish) providers.Request {
		if last == nil {
			history = append(history, providers.UserMessage{Text: "Hello"})
		} else {
			if len(last.Calls) != 1 || last.Calls[0].Arguments != `{ "n": 1.0 }` || !last.Calls[0].Executable {
				t.Errorf("got %+v", last.Calls)
			}
			own := last.Calls[0]
			own.ID = "t_" + string(rune('a'+len(history)))
			history = append(history,
				providers.AssistantMessage{Calls: []providers.ToolCall{own}, Replay: last.Replay}, providers.ToolResult{CallID: own.ID, Text: "done"})
		}
		req := providertest.NewRequest(true, "read")
		req.Messages = history
		return req
	})
	const turn = `{"type":"reasoning","summary":[{"type":"summary_text","text":"S"}],"encrypted_content":"` + blob + `"},` +
		`{"type":"function_call","call_id":"call_1","name":"read","arguments":"{ \"n\": 1.0 }"},` +
		`{"type":"function_call_output","call_id":"call_1","output":"done"}`
	var sent struct{ Input json.RawMessage }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	want := `[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]},` + turn + `,` + turn + `]`
	if string(sent.Input) != want {
		t.Errorf("got  %s\nwant %s", sent.Input, want)
	}
}

// Private state goes to no other connection, address or model, and not beside
// other calls.
func TestForeignReplayIsRefused(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, providertest.Events(stream(thinking, calling, completed)))
	first := providertest.Stream(t.Context(), t, newClient(t, responses.Config{Connection: "p_1", BaseURL: server.URL}), providertest.NewRequest(false, "read"))
	for name, change := range map[string]func(*responses.Config, *providers.Request, *providers.AssistantMessage){
		"connection": func(c *responses.Config, _ *providers.Request, _ *providers.AssistantMessage) { c.Connection = "p_2" },
		"address":    func(c *responses.Config, _ *providers.Request, _ *providers.AssistantMessage) { c.BaseURL += "/other" },
		"model":      func(_ *responses.Config, r *providers.Request, _ *providers.AssistantMessage) { r.Model = "other" },
		"arguments": func(_ *responses.Config, _ *providers.Request, m *providers.AssistantMessage) {
			m.Calls[0].Arguments = `{"n":2}`
		},
		"calls": func(_ *responses.Config, _ *providers.Request, m *providers.AssistantMessage) { m.Calls = nil },
	} {
		config := responses.Config{Connection: "p_1", BaseURL: server.URL}
		calls := append([]providers.ToolCall(nil), first.Finish.Calls...)
		m := providers.AssistantMessage{Calls: calls, Replay: first.Finish.Replay}
		req := providertest.NewRequest(false, "read")
		change(&config, &req, &m)
		req.Messages = append(req.Messages, m)
		got := providertest.Stream(t.Context(), t, newClient(t, config), req)
		if f := got.Failure; f == nil || f.Category != providers.CategoryConfiguration || f.Code != upstream.CodeReplayForeign {
			t.Errorf("another %s: got %+v, %v", name, got.Finish, got.Failure)
		}
	}
}
