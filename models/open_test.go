package models

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"countersign/agent"
)

var open = flag.Int("open", 1_000, "how many cards are open when the program starts")

// leaveOpen appends what a server leaves that is stopped while a card is open.
func leaveOpen(ctx context.Context, j Journal, n int, expires time.Time) (agent.RunRef, error) {
	m := agent.MessageID(fmt.Sprint("m-", n))
	id := agent.ConversationFor(ann.User, m)
	r := agent.RunRef{Conversation: id, Run: agent.RunFor(id, m)}
	call := agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "save", Arguments: "{}", Definition: "d"}
	b := agent.Batch{Conversation: id, At: expires.Add(-agent.DefaultApproval), Entries: []agent.Entry{
		{Event: agent.ConversationCreated{Owner: ann.User, Agent: "agent"}},
	}}
	for _, e := range []agent.Event{
		agent.UserMessage{Message: m, Text: "Go.", Author: ann}, agent.RunCreated{Message: m}, agent.RunStarted{Epoch: 1},
		agent.ModelAttemptStarted{Attempt: "a_1", Step: 1, Number: 1}, agent.ModelAttemptFinished{Attempt: "a_1", Outcome: agent.AttemptCompleted},
		agent.AssistantMessage{Attempt: "a_1"}, call,
		agent.ApprovalRequested{Interaction: "i_1", Calls: []agent.BoundCall{{Call: call.Call, Binding: "b"}}, ExpiresAt: expires},
		agent.RunWaiting{For: agent.StatusWaitingApproval},
	} {
		b.Entries = append(b.Entries, agent.Entry{Run: r.Run, Event: e})
	}
	_, err := j.Append(ctx, b)
	return r, err
}

// However many cards are open, the program starts at once and holds no
// goroutine for any of them. Those that lapsed while it was down expire, and
// the others stay as they are.
func TestManyOpenCards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	const lapsed = 100
	refs := make([]agent.RunRef, *open)
	now := time.Now()
	var filling sync.WaitGroup
	for lane := range 64 {
		filling.Go(func() {
			for n := lane; n < *open; n += 64 {
				expires := now.Add(time.Hour)
				if n < lapsed {
					expires = now.Add(-time.Hour)
				}
				var err error
				if refs[n], err = leaveOpen(t.Context(), db.Journal(), n, expires); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	filling.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	before := runtime.NumGoroutine()
	began := time.Now()
	db = openTest(t, Config{Dir: dir})
	h := newHost(t, db, func(context.Context) (agent.Result, error) { return agent.Result{}, nil })
	started := time.Since(began)
	for _, r := range refs[:lapsed] {
		h.await(r, agent.StatusSucceeded)
	}
	recovered := time.Since(began)
	// Other tests come and go meanwhile; a goroutine a card would be many more.
	if n := runtime.NumGoroutine() - before; n > *open/4 {
		t.Errorf("%d goroutines more for %d open cards", n, *open-lapsed)
	}
	t.Logf("%d open cards: started after %v, %d lapsed ones expired and their runs ended after %v; %d goroutines before, %d after",
		*open, started, lapsed, recovered, before, runtime.NumGoroutine())

	for _, r := range refs[lapsed:] {
		head, err := h.Head(t.Context(), r.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		if head.Run.Status != agent.StatusWaitingApproval || len(head.Run.Open) != 1 || !head.Run.Open[0].ExpiresAt.After(now) {
			t.Fatalf("a card that was open: %+v", head.Run)
		}
	}
	h.stop()
}
