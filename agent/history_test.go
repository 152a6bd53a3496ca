package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

func historyOf(events ...agent.Event) *agent.History {
	h := &agent.History{}
	for i, e := range events {
		h.Apply(agent.Record{Conversation: "c", Seq: agent.Seq(i + 1), Run: "r", Event: e})
	}
	return h
}

func called(id agent.CallID) agent.ToolCallRequested {
	return agent.ToolCallRequested{Call: id, Attempt: "a1", Tool: "save", Arguments: `{"n" : 1}`}
}

func asked(id string) providers.ToolCall {
	return providers.ToolCall{ID: id, Name: "save", Arguments: `{"n" : 1}`, Executable: true}
}

// A call without a result is in no request, and neither is private state that
// holds such a call: no service takes one without the other.
func TestHistory_CallsWithoutResult(t *testing.T) {
	t.Parallel()
	replay := providers.Replay{Binding: "b", State: []byte(`{}`)}
	replays := map[agent.AttemptID]providers.Replay{"a1": replay}
	user := providers.UserMessage{Text: "Go."}
	result := agent.ToolCallFinished{Call: "t1", Outcome: agent.CallOK, Result: "Saved."}
	start := []agent.Event{agent.UserMessage{Text: "Go."}, agent.AssistantMessage{Attempt: "a1"}}
	for name, c := range map[string]struct {
		events []agent.Event
		want   []providers.Message
	}{
		"all have one": {
			[]agent.Event{called("t1"), result},
			[]providers.Message{
				user, providers.AssistantMessage{Calls: []providers.ToolCall{asked("t1")}, Replay: &replay},
				providers.ToolResult{CallID: "t1", Text: "Saved."},
			},
		},
		"one has none": {
			[]agent.Event{called("t1"), called("t2"), result},
			[]providers.Message{
				user, providers.AssistantMessage{Calls: []providers.ToolCall{asked("t1")}},
				providers.ToolResult{CallID: "t1", Text: "Saved."},
			},
		},
		"none has one": {[]agent.Event{called("t1"), called("t2")}, []providers.Message{user}},
		"in the order of the calls": {
			[]agent.Event{called("t1"), called("t2"), agent.ToolCallFinished{Call: "t2", Outcome: agent.CallDenied, Result: "No."}, result},
			[]providers.Message{
				user, providers.AssistantMessage{Calls: []providers.ToolCall{asked("t1"), asked("t2")}, Replay: &replay},
				providers.ToolResult{CallID: "t1", Text: "Saved."}, providers.ToolResult{CallID: "t2", Text: "No.", IsError: true},
			},
		},
	} {
		h := historyOf(append(start[:len(start):len(start)], c.events...)...)
		if diff := cmp.Diff(c.want, h.Messages(replays, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCallOutcome_IsError(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[agent.CallOutcome]bool{
		agent.CallOK: false, agent.CallError: true, agent.CallDenied: true, agent.CallExpired: true, agent.CallNotStarted: true, agent.CallUnknown: true,
	} {
		if outcome.IsError() != want {
			t.Errorf("%s: %v", outcome, !want)
		}
	}
}
