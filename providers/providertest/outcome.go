package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"countersign/providers"
)

// An Outcome is what a consumer of one attempt sees.
type Outcome struct {
	Text, Reasoning, Refusal string // as streamed
	Usage                    providers.Usage
	Finish                   *providers.Finish
	Failure                  *providers.Error
	Err                      error // neither of the two
}

// Stream performs one attempt and checks what holds for every one: deltas are
// not empty, reasoning comes only on request, a Finish or an error closes, and
// the Finish says what was streamed.
func Stream(ctx context.Context, t testing.TB, p providers.Provider, req providers.Request) Outcome {
	t.Helper()
	var o Outcome
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
		case providers.UsageUpdate:
			if ev.Usage.Equal(o.Usage) {
				t.Error("got usage that changes nothing")
			}
			o.Usage = ev.Usage
		case providers.Finish:
			closed = true
			if !ev.Usage.Equal(o.Usage) {
				t.Errorf("the last usage %+v differs from that of the finish, %+v", o.Usage, ev.Usage)
			}
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

// CheckExecutable reports calls that may run although they must not: there is
// no other proof than a finish for them, an id, and arguments that are empty or
// one JSON object.
func (o Outcome) CheckExecutable(t testing.TB) {
	t.Helper()
	if o.Finish == nil {
		return
	}
	for _, c := range o.Finish.Calls {
		if !c.Executable {
			continue
		}
		if o.Finish.Reason != providers.FinishToolCalls || c.ID == "" {
			t.Errorf("an executable call %+v after %s", c, o.Finish.Reason)
		}
		var arguments map[string]any
		if c.Arguments != "" && (json.Unmarshal([]byte(c.Arguments), &arguments) != nil || arguments == nil) {
			t.Errorf("arguments %q", c.Arguments)
		}
	}
}

// NewRequest asks a question, with tools of these names.
func NewRequest(reasoning bool, tools ...string) providers.Request {
	req := providers.Request{
		Model: "some-model", Reasoning: reasoning,
		Messages: []providers.Message{providers.UserMessage{Text: "Hello"}},
	}
	for _, name := range tools {
		req.Tools = append(req.Tools, providers.ToolSpec{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return req
}

// Next continues a request after an answer: with a result for every call, and
// another message.
func Next(req providers.Request, f providers.Finish) providers.Request {
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
