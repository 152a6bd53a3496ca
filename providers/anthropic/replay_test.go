package anthropic_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// thought is a block of thinking with bytes that careless copying would change.
func thought(index int, text, signature string) []string {
	return []string{
		begin(index, `{"type":"thinking","thinking":"","signature":""}`),
		piece(index, `{"type":"thinking_delta","thinking":"`+text+`"}`),
		piece(index, `{"type":"signature_delta","signature":"`+signature+`"}`), end(index),
	}
}

func whole(index int, block string) []string { return []string{begin(index, block), end(index)} }

// finish performs an attempt against an answer.
func finish(t *testing.T, c anthropic.Config, req providers.Request, events []string) providers.Finish {
	t.Helper()
	got := providertest.Stream(t.Context(), t, canned(t, c, events...), req)
	if got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	return *got.Finish
}

// stored returns a finish as it comes back from storage, with calls under ids
// of the caller's.
func stored(t *testing.T, f providers.Finish, prefix string) providers.AssistantMessage {
	t.Helper()
	raw, err := wire.Encode(f.Replay)
	if err != nil {
		t.Fatal(err)
	}
	m := providers.AssistantMessage{Text: f.Text}
	if err := json.Unmarshal(raw, &m.Replay); err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Calls {
		c.ID = prefix + string(rune('a'+i))
		m.Calls = append(m.Calls, c)
	}
	return m
}

// What the model thought over two rounds of tools goes back byte for byte: with
// its text, without it, and redacted, beside parallel calls, also in a request
// that itself omits thinking (contract R12).
func TestReplayOverTwoRounds(t *testing.T) {
	t.Parallel()
	config := anthropic.Config{Connection: "p1", Thinking: &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 2048}}
	req := providertest.NewRequest(true, "read", "write")
	first := stored(t, finish(t, config, req, answer("tool_use",
		thought(0, `a<b> & \u00e9\u2028\/`, "Sig1<&>+/=="), whole(1, `{"type":"redacted_thinking","data":"Red<&>\/+="}`),
		textBlock(2, `\n\n`), textBlock(3, "Two calls."),
		callBlock(4, "toolu_1", "read", `{"n": 1.0, "s":"<é>"}`), callBlock(5, "toolu_2", "write", ""),
	)), "t_1")
	results := []providers.Message{providers.ToolResult{CallID: "t_1a", Text: "one"}, providers.ToolResult{CallID: "t_1b", Text: "two"}}
	req.Messages = append(append(req.Messages, first), results...)
	second := stored(t, finish(t, config, req, answer("tool_use",
		whole(0, `{"type":"thinking","thinking":"","signature":"OnlySig2=="}`), // its text is omitted
		callBlock(1, "toolu_3", "read", `{}`),
	)), "t_2")
	req.Messages = append(req.Messages, second, providers.ToolResult{CallID: "t_2a", Text: "three", IsError: true})
	req.MaxOutputTokens = 512 // leaves no room for thinking

	server := providertest.NewServer(t, closing)
	// A new key changes nothing, nor does an address that says the same.
	config.HTTPClient, config.Key = rerouted(t, server.URL), func(context.Context) (string, error) { return "another", nil }
	config.BaseURL = "http://api.example/v1/"
	if got := providertest.Stream(t.Context(), t, newClient(t, config), req); got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	golden(t, "two_rounds", server.Requests()[0].Body)
}

// A paused turn goes back whole, for the model to go on.
func TestReplayOfAPausedTurn(t *testing.T) {
	t.Parallel()
	search := `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`
	found := `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"Enc<&>=="}]}`
	req := providertest.NewRequest(false)
	f := finish(t, anthropic.Config{}, req, answer("pause_turn",
		[]string{begin(0, search), piece(0, `{"type":"input_json_delta","partial_json":"{\"query\": \"x\"}"}`), end(0)}, whole(1, found),
	))
	if f.Reason != providers.FinishPause || f.Text != "" || len(f.Calls) > 0 {
		t.Fatalf("got %+v", f)
	}
	server := providertest.NewServer(t, closing)
	req.Messages = append(req.Messages, stored(t, f, ""))
	client := newClient(t, anthropic.Config{BaseURL: "http://api.example", HTTPClient: rerouted(t, server.URL)})
	providertest.Stream(t.Context(), t, client, req)
	golden(t, "paused_turn", server.Requests()[0].Body)
}

// A refused turn stays out of the next request, also when it began with text.
func TestRefusedTurnDoesNotGoBack(t *testing.T) {
	t.Parallel()
	req := providertest.NewRequest(false, "read")
	f := finish(t, anthropic.Config{}, req, answer("refusal", textBlock(0, "Sure, first"), callBlock(1, "toolu_1", "read", `{"x"`)))
	if f.Reason != providers.FinishRefusal || f.Text != "Sure, first" || len(f.Calls) > 0 {
		t.Fatalf("got %+v", f)
	}
	server := providertest.NewServer(t, closing)
	client := newClient(t, anthropic.Config{BaseURL: "http://api.example", HTTPClient: rerouted(t, server.URL)})
	providertest.Stream(t.Context(), t, client, providertest.Next(req, f))
	golden(t, "after_a_refusal", server.Requests()[0].Body)
}

// What the text says as well has no private state, and neither has what is cut.
func TestPlainAnswersHaveNoReplay(t *testing.T) {
	t.Parallel()
	for name, events := range map[string][]string{
		"text": answer("end_turn", textBlock(0, "a <b> & c")), "nothing": answer("end_turn"), "blank": answer("end_turn", textBlock(0, " ")),
		"cut":     answer("max_tokens", thought(0, "hm", "s"), callBlock(1, "toolu_1", "read", `{"x"`)),
		"unknown": answer("bored", thought(0, "hm", "s"), textBlock(1, "a")),
	} {
		if got := play(t, events...); got.Finish == nil || got.Finish.Replay != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// State of another connection, address or model, or for other calls, is
// refused before anything is sent.
func TestForeignReplayIsRefused(t *testing.T) {
	t.Parallel()
	req := providertest.NewRequest(false, "read")
	f := finish(t, anthropic.Config{Connection: "p1"}, req, answer("tool_use", thought(0, "hm", "Secret=="), callBlock(1, "toolu_1", "read", `{"x":1}`)))
	const base = "http://api.example"
	same := anthropic.Config{Connection: "p1", BaseURL: base}
	tests := []struct {
		name   string
		config anthropic.Config
		change func(*providers.Request, *providers.AssistantMessage)
	}{
		{"connection", anthropic.Config{Connection: "p2", BaseURL: base}, nil},
		{"address", anthropic.Config{Connection: "p1", BaseURL: base + "/x"}, nil},
		{"model", same, func(r *providers.Request, _ *providers.AssistantMessage) { r.Model = "other" }},
		{"arguments", same, func(_ *providers.Request, m *providers.AssistantMessage) { m.Calls[0].Arguments = `{"x":2}` }},
		{"name", same, func(_ *providers.Request, m *providers.AssistantMessage) { m.Calls[0].Name = "write" }},
		{"dropped call", same, func(_ *providers.Request, m *providers.AssistantMessage) { m.Calls, m.Text = nil, "no call" }},
		{"another call", same, func(_ *providers.Request, m *providers.AssistantMessage) { m.Calls = append(m.Calls, m.Calls[0]) }},
		{"state of another kind", same, func(_ *providers.Request, m *providers.AssistantMessage) {
			m.Replay = &providers.Replay{Binding: m.Replay.Binding, State: json.RawMessage(`[]`)}
		}},
		{"calls that are not in the content", same, func(_ *providers.Request, m *providers.AssistantMessage) {
			state := strings.Replace(string(m.Replay.State), `"tool_use"`, `"other"`, 1)
			m.Replay = &providers.Replay{Binding: m.Replay.Binding, State: json.RawMessage(state)}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			again := providertest.Next(req, f)
			message := again.Messages[1].(providers.AssistantMessage)
			message.Calls = append([]providers.ToolCall(nil), message.Calls...)
			if tt.change != nil {
				tt.change(&again, &message)
			}
			again.Messages[1] = message
			tt.config.HTTPClient = rerouted(t, providertest.NewServer(t).URL)
			got := providertest.Stream(t.Context(), t, newClient(t, tt.config), again)
			want := &providers.Error{Category: providers.CategoryConfiguration, API: providers.APIAnthropic, Code: upstream.CodeReplayForeign}
			if diff := cmp.Diff(want, got.Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
