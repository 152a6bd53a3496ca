package chatcompletions_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

// An outcome is what a consumer of one attempt sees.
type outcome struct {
	Text, Reasoning, Refusal string // as streamed
	Finish                   *providers.Finish
	Failure                  *providers.Error
	Err                      error // neither of the two
}

func newClient(t *testing.T, c chatcompletions.Config) *chatcompletions.Client {
	t.Helper()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
		t.Cleanup(c.HTTPClient.CloseIdleConnections)
	}
	client, err := chatcompletions.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// stream performs one attempt and checks what holds for every one: deltas are
// not empty, reasoning comes only on request, a Finish or an error closes.
func stream(ctx context.Context, t testing.TB, p providers.Provider, req providers.Request) outcome {
	t.Helper()
	var o outcome
	closed := false
	for ev, err := range p.Stream(ctx, req) {
		if closed {
			t.Fatalf("got %v, %v after the end", ev, err)
		}
		if err != nil {
			closed = true
			if ev != nil {
				t.Errorf("got %v beside an error", ev)
			}
			if !errors.As(err, &o.Failure) {
				o.Err = err
			}
			continue
		}
		switch ev := ev.(type) {
		case providers.TextDelta:
			o.Text += nonEmpty(t, ev.Text)
		case providers.ReasoningDelta:
			if !req.Reasoning {
				t.Error("got reasoning without asking")
			}
			o.Reasoning += nonEmpty(t, ev.Text)
		case providers.RefusalDelta:
			o.Refusal += nonEmpty(t, ev.Text)
		case providers.Activity:
		case providers.Finish:
			closed = true
			o.Finish = &ev
		default:
			t.Errorf("got an unknown event %T", ev)
		}
	}
	if !closed {
		t.Error("the stream has no end")
	}
	if f := o.Finish; f != nil && (f.Text != o.Text || f.Reasoning != o.Reasoning || f.Refusal != o.Refusal) {
		t.Errorf("the finish %+v differs from what was streamed, %+v", f, o)
	}
	return o
}

func nonEmpty(t testing.TB, s string) string {
	t.Helper()
	if s == "" {
		t.Error("got an empty delta")
	}
	return s
}

// request asks a question with tools of these names.
func request(reasoning bool, tools ...string) providers.Request {
	req := providers.Request{
		Model: "some-model", Reasoning: reasoning,
		Messages: []providers.Message{providers.UserMessage{Text: "Hello"}},
	}
	for _, name := range tools {
		req.Tools = append(req.Tools, providers.ToolSpec{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return req
}

// next continues req after an answer.
func next(req providers.Request, f providers.Finish) providers.Request {
	history := []providers.Message{
		req.Messages[0],
		providers.AssistantMessage{Text: f.Text, Refusal: f.Refusal, Calls: f.Calls, Replay: f.Replay},
	}
	for _, c := range f.Calls {
		history = append(history, providers.ToolResult{CallID: c.ID, Text: "done"})
	}
	req.Messages = append(history, providers.UserMessage{Text: "Go on"})
	return req
}

// closing is an answer that ends a conversation.
var closing = providertest.Events([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n"))

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readJSON(t testing.TB, v any, parts ...string) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, parts...), v); err != nil {
		t.Fatalf("%s: %v", filepath.Join(parts...), err)
	}
}
