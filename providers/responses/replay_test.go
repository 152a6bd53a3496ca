package responses_test

import (
	"encoding/json"
	"testing"

	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/providers/responses"
	"countersign/providers/upstream"
)

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

const (
	signed   = `{"type":"reasoning","summary":[],"encrypted_content":"blob"}`
	unsigned = `{"type":"reasoning","summary":[]}`
	foreign  = `{"type":"web_search_call","status":"completed"}`
	hello    = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}]}`
	read     = `{"type":"function_call","call_id":"c","name":"read","arguments":"{}"}`
)

// done is the last event of an item.
func done(index, item string) string {
	return `{"type":"response.output_item.done","output_index":` + index + `,"item":` + item + `}`
}

// What goes back of an answer is what the service will take: reasoning only
// where what followed it follows, and no message of which the end is unknown.
func TestHistoryOfItems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		events []string
		want   string // of the input, between the question and what came after
	}{
		"reasoning and its message":       {[]string{done("0", signed), done("1", hello)}, signed + "," + hello},
		"reasoning in two items":          {[]string{done("0", signed), done("1", signed), done("2", hello)}, signed + "," + signed + "," + hello},
		"items that come out of order":    {[]string{done("1", hello), done("0", signed)}, signed + "," + hello},
		"reasoning that can't be read":    {[]string{done("0", unsigned), done("1", hello)}, hello},
		"reasoning before an alien item":  {[]string{done("0", signed), done("1", foreign), done("2", hello)}, hello},
		"reasoning after the answer":      {[]string{done("0", hello), done("1", signed)}, hello},
		"reasoning that did not end":      {[]string{`{"type":"response.output_item.added","output_index":0,"item":` + signed + `}`, done("1", hello)}, hello},
		"text that no item holds":         {[]string{done("0", signed), `{"type":"response.output_text.delta","output_index":1,"delta":"Hello."}`}, hello},
		"a call beside an open message":   {[]string{done("0", signed), `{"type":"response.output_text.delta","output_index":1,"delta":"Hello."}`, done("2", read)}, hello + "," + read + `,{"type":"function_call_output","call_id":"c","output":"done"}`},
		"an item other than its pieces":   {[]string{`{"type":"response.output_text.delta","output_index":0,"delta":"Hell"}`, done("0", hello)}, hello},
		"a call other than its beginning": {[]string{`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"x\""}`, done("0", read)}, read + `,{"type":"function_call_output","call_id":"c","output":"done"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := providertest.NewRequest(true, "read")
			answers := []providertest.Answer{providertest.Events(stream(append(tt.events, completed)...)), closing}
			body := sentBy(t, responses.Config{}, answers, func(last *providers.Finish) providers.Request {
				if last != nil {
					req = providertest.Next(req, *last)
				}
				return req
			})
			var sent struct{ Input json.RawMessage }
			if err := json.Unmarshal(body, &sent); err != nil {
				t.Fatal(err)
			}
			const question = `{"type":"message","role":"user","content":[{"type":"input_text","text":"`
			want := `[` + question + `Hello"}]},` + tt.want + `,` + question + `Go on"}]}]`
			if string(sent.Input) != want {
				t.Errorf("got  %s\nwant %s", sent.Input, want)
			}
		})
	}
}
