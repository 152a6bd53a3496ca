package chatcompletions_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

const signedCall = `{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\"x\":1}"},` +
	`"extra_content":{"google":{"thought_signature":"c2ln","n":1.0,"h":"<&>"}}}]},"finish_reason":"stop"}]}`

// signed returns the finish of an answer with a signed call from base.
func signed(t *testing.T, c chatcompletions.Config) (providers.Request, providers.Finish) {
	t.Helper()
	c.HTTPClient = providertest.Canned([]byte("data: " + signedCall + "\n\n"))
	req := providertest.NewRequest(false, "read")
	got := providertest.Stream(t.Context(), t, newClient(t, c), req)
	if got.Finish == nil || got.Finish.Replay == nil {
		t.Fatalf("got %+v", got)
	}
	return req, *got.Finish
}

// Private state survives storage, and goes back as it came.
func TestReplayGoesBackUnchanged(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, closing)
	config := chatcompletions.Config{Connection: "p1", BaseURL: server.URL}
	req, finish := signed(t, config)
	stored, err := json.Marshal(finish.Replay)
	if err != nil {
		t.Fatal(err)
	}
	finish.Replay = nil
	if err := json.Unmarshal(stored, &finish.Replay); err != nil {
		t.Fatal(err)
	}
	// The caller knows the call by an id of its own; the provider gets its own.
	finish.Calls[0].ID = "t_local"
	// A new key changes nothing.
	config.Key = func(context.Context) (string, error) { return "another", nil }
	if got := providertest.Stream(t.Context(), t, newClient(t, config), providertest.Next(req, finish)); got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	var body struct {
		Messages []struct {
			Calls []struct {
				ID    string          `json:"id"`
				Extra json.RawMessage `json:"extra_content"`
			} `json:"tool_calls"`
			Answers string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(server.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if call, result := body.Messages[1].Calls[0].ID, body.Messages[2].Answers; call != "a" || result != "a" {
		t.Errorf("got the call %q and its result %q, want the provider's id a", call, result)
	}
	got := providertest.JSON(t, body.Messages[1].Calls[0].Extra)
	if diff := cmp.Diff(providertest.JSON(t, []byte(`{"google":{"thought_signature":"c2ln","n":1.0,"h":"<&>"}}`)), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// State of another connection, address or model, or for other calls, is
// refused before anything is sent.
func TestForeignReplayIsRefused(t *testing.T) {
	t.Parallel()
	const base = "http://127.0.0.1:1/v1"
	req, finish := signed(t, chatcompletions.Config{Connection: "p1", BaseURL: base})
	tests := []struct {
		name   string
		config chatcompletions.Config
		change func(*providers.Request, *providers.AssistantMessage)
	}{
		{"connection", chatcompletions.Config{Connection: "p2", BaseURL: base}, nil},
		{"address", chatcompletions.Config{Connection: "p1", BaseURL: base + "/x"}, nil},
		{"model", chatcompletions.Config{Connection: "p1", BaseURL: base}, func(r *providers.Request, _ *providers.AssistantMessage) {
			r.Model = "other"
		}},
		{"arguments", chatcompletions.Config{Connection: "p1", BaseURL: base}, func(_ *providers.Request, m *providers.AssistantMessage) {
			m.Calls[0].Arguments = `{"x":2}`
		}},
		{"dropped call", chatcompletions.Config{Connection: "p1", BaseURL: base}, func(_ *providers.Request, m *providers.AssistantMessage) {
			m.Calls, m.Text = nil, "no call"
		}},
		{"state of another kind", chatcompletions.Config{Connection: "p1", BaseURL: base}, func(_ *providers.Request, m *providers.AssistantMessage) {
			m.Replay = &providers.Replay{Binding: m.Replay.Binding, State: json.RawMessage(`[]`)}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			again := providertest.Next(req, finish)
			message := again.Messages[1].(providers.AssistantMessage)
			message.Calls = append([]providers.ToolCall(nil), message.Calls...)
			if tt.change != nil {
				tt.change(&again, &message)
			}
			again.Messages[1] = message
			got := providertest.Stream(t.Context(), t, newClient(t, tt.config), again)
			want := &providers.Error{
				Category: providers.CategoryConfiguration, API: providers.APIChatCompletions, Code: upstream.CodeReplayForeign,
			}
			if diff := cmp.Diff(want, got.Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlainAnswersHaveNoReplay(t *testing.T) {
	t.Parallel()
	for _, frames := range [][]string{
		{chunk(`{"content":"a","reasoning_content":"b"}`, "stop")},
		{callsChunk(`{"index":0,"id":"a","function":{"name":"read"}}`), chunk(`{}`, "stop")},
		{chunk(`{"reasoning_content":"b","tool_calls":[{"index":0,"id":"a","function":{"name":"read"}}]}`, "length")},
	} {
		if got := play(t, frames...); got.Finish == nil || got.Finish.Replay != nil {
			t.Errorf("got %+v for %s", got, strings.Join(frames, " "))
		}
	}
}

func TestReasoningDetailsAreMerged(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, closing)
	config := chatcompletions.Config{BaseURL: server.URL}
	frames := []string{
		chunk(`{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"a<"},{"type":"reasoning.encrypted","index":0,"data":"x"}]}`, ""),
		chunk(`{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"b","signature":null},{"type":"other","k":1},5,null]}`, ""),
		chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","index":0,"data":"y","id":"r"},{"type":"other","k":2}]}`, ""),
		chunk(`{"reasoning_details":[{"type":"reasoning.text","index":0,"signature":"s"}],"content":"ok"}`, "stop"),
	}
	first := config
	first.HTTPClient = providertest.Canned([]byte("data: " + strings.Join(frames, "\n\ndata: ") + "\n\n"))
	req := providertest.NewRequest(false)
	got := providertest.Stream(t.Context(), t, newClient(t, first), req)
	if got.Finish == nil {
		t.Fatalf("got %+v", got)
	}
	providertest.Stream(t.Context(), t, newClient(t, config), providertest.Next(req, *got.Finish))
	var body struct {
		Messages []struct {
			Details json.RawMessage `json:"reasoning_details"`
		}
	}
	if err := json.Unmarshal(server.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	want := `[{"type":"reasoning.text","index":0,"text":"a<b","signature":"s"},
		{"type":"reasoning.encrypted","index":0,"data":"xy","id":"r"},{"type":"other","k":1},{"type":"other","k":2}]`
	if diff := cmp.Diff(providertest.JSON(t, []byte(want)), providertest.JSON(t, body.Messages[1].Details)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
