package agent_test

import (
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
)

// Whoever watches a person's conversations is told of changes in theirs and in
// no others, and of nothing after the watch was closed.
func TestWatch(t *testing.T) {
	t.Parallel()
	j := journaltest.NewMemory()
	e := agent.NewEngine(agent.Config{Journal: j, Index: j})
	hers, his, closed := e.Watch("ann"), e.Watch("bob"), e.Watch("ann")
	closed.Close()
	woken := func(w *agent.Watch) bool {
		select {
		case <-w.Wake():
			return true
		default:
			return false
		}
	}
	sent, err := e.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: agent.Actor{User: "ann"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !woken(hers) || woken(hers) || woken(his) || woken(closed) {
		t.Error("a new conversation wakes its owner, once")
	}
	if err := e.Rename(t.Context(), sent.Conversation, "Another title"); err != nil {
		t.Fatal(err)
	}
	if !woken(hers) || woken(his) {
		t.Error("a new title wakes the owner")
	}
	hers.Close()
	his.Close()
	if err := e.Rename(t.Context(), sent.Conversation, "A third"); err != nil {
		t.Fatal(err)
	}
	if woken(hers) {
		t.Error("a closed watch is woken")
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}
