package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
)

// writeRun appends a whole run to a journal.
func writeRun(t *testing.T, j agent.Journal, id agent.ConversationID, run agent.RunID, text string, end ...agent.Event) {
	t.Helper()
	h, err := j.Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	events := append([]agent.Event{
		agent.UserMessage{Message: agent.MessageID("m" + run), Text: text, Author: agent.Actor{User: "ann", Name: "Ann"}},
		agent.RunCreated{AgentName: "Assistant"}, agent.RunStarted{Epoch: 1},
	}, end...)
	b := agent.Batch{Conversation: id, After: h.Seq}
	for _, e := range events {
		b.Entries = append(b.Entries, agent.Entry{Run: run, Event: e})
	}
	if _, err := j.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func answeredWith(text string) []agent.Event {
	return []agent.Event{
		agent.AssistantMessage{Attempt: "a_1", Text: "Let me look.", Finish: providers.FinishToolCalls},
		agent.AssistantMessage{Attempt: "a_2", Text: text, Reasoning: "secret thoughts", Finish: providers.FinishStop},
		agent.RunFinished{Status: agent.StatusSucceeded, Answer: "a_2"},
	}
}

// A copy holds what people wrote and what was answered, in order, and nothing
// of a run that failed or was rewound but the message.
func TestCopy(t *testing.T) {
	t.Parallel()
	j := journaltest.NewMemory()
	e := agent.NewEngine(agent.Config{Journal: j, Index: j})
	if _, err := j.Append(t.Context(), agent.Batch{Conversation: "c_1", Entries: []agent.Entry{
		{Event: agent.ConversationCreated{Owner: "ann"}}, {Event: agent.ConversationTitled{Title: "Milk"}},
		{Event: agent.HistoryCopied{From: "c_0", Messages: []agent.CopiedMessage{{Person: "Ann", Text: "Before"}}, Omitted: 3}},
	}}); err != nil {
		t.Fatal(err)
	}
	writeRun(t, j, "c_1", "r_1", "One", answeredWith("First")...)
	writeRun(t, j, "c_1", "r_2", "Two",
		agent.AssistantMessage{Attempt: "a_1", Text: "Provisional", Finish: providers.FinishStop},
		agent.RunFinished{Status: agent.StatusFailed, Failure: &agent.Failure{Code: agent.FailInternal}})
	h, err := j.Head(t.Context(), "c_1")
	if err != nil {
		t.Fatal(err)
	}
	kept := h.Seq
	writeRun(t, j, "c_1", "r_3", "Rewound", answeredWith("Rewound too")...)
	if h, err = j.Head(t.Context(), "c_1"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), agent.Batch{Conversation: "c_1", After: h.Seq, Entries: []agent.Entry{{Event: agent.Rewound{To: kept}}}}); err != nil {
		t.Fatal(err)
	}
	want := agent.HistoryCopied{From: "c_1", Title: "Milk", Omitted: 3, Messages: []agent.CopiedMessage{
		{Person: "Ann", Text: "Before"}, {Person: "Ann", Text: "One"}, {Agent: "Assistant", Text: "First"}, {Person: "Ann", Text: "Two"},
	}}
	got, err := e.Copy(t.Context(), "c_1")
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(agent.CopiedMessage{}, "At")); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Older messages are left out where not all fit, and are counted.
func TestCopyIsBounded(t *testing.T) {
	t.Parallel()
	j := journaltest.NewMemory()
	e := agent.NewEngine(agent.Config{Journal: j, Index: j})
	if _, err := j.Append(t.Context(), agent.Batch{Conversation: "c_1", Entries: []agent.Entry{{Event: agent.ConversationCreated{Owner: "ann"}}}}); err != nil {
		t.Fatal(err)
	}
	half := strings.Repeat("x", agent.MaxCopied/2)
	for i, text := range []string{"gone", half, half} {
		writeRun(t, j, "c_1", agent.RunID("r_"+string(rune('1'+i))), text, agent.RunFinished{Status: agent.StatusCancelled})
	}
	got, err := e.Copy(t.Context(), "c_1")
	if err != nil || got.Omitted != 1 || len(got.Messages) != 2 {
		t.Errorf("got %d messages, %d omitted, %v; want the newest 2", len(got.Messages), got.Omitted, err)
	}
}

// The next request begins with the copy, as plain messages.
func TestHistoryBeginsWithTheCopy(t *testing.T) {
	t.Parallel()
	records := []agent.Record{
		{Seq: 1, Event: agent.ConversationCreated{}},
		{Seq: 2, Event: agent.HistoryCopied{Messages: []agent.CopiedMessage{{Person: "Ann", Text: "One"}, {Agent: "Assistant", Text: "First"}}}},
		{Seq: 3, Run: "r_1", Event: agent.UserMessage{Text: "Two"}},
	}
	var h agent.History
	for _, r := range slices.Concat(records, records) {
		h.Apply(r)
	}
	want := []providers.Message{
		providers.UserMessage{Text: "One"}, providers.AssistantMessage{Text: "First"}, providers.UserMessage{Text: "Two"},
	}
	if diff := cmp.Diff(want, h.Messages(nil, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
