package journaltest

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/agent"
)

func wantUnfinished(t *testing.T, s Store, when string, want ...agent.RunRef) {
	t.Helper()
	got, err := s.Unfinished(t.Context())
	if err != nil {
		t.Fatalf("unfinished %s: %v", when, err)
	}
	equal(t, "unfinished "+when, append([]agent.RunRef{}, want...), append([]agent.RunRef{}, got...))
}

func unfinishedFollows(t *testing.T, open Open) {
	s, reopen := open(t)
	ref := agent.RunRef{Conversation: "c_1", Run: "r_1"}
	create(t, s, "c_1")
	wantUnfinished(t, s, "before a run")
	for _, step := range []struct {
		event agent.Event
		found bool
	}{
		{agent.UserMessage{Message: "m_1"}, false},
		{agent.RunCreated{Message: "m_1"}, true},
		{agent.RunStarted{Epoch: 1}, true},
		{agent.ReconcileRequested{Interaction: "i_1", Call: "call"}, true},
		{agent.RunWaiting{For: agent.StatusWaitingInput}, false},
		{agent.InteractionClosed{Interaction: "i_1", How: agent.ClosedDecided}, false},
		{agent.RunResumed{Reason: "answered"}, true},
		{agent.RunStarted{Epoch: 2, Reclaimed: true}, true},
		{agent.RunFinished{Status: agent.StatusFailed}, false},
	} {
		appendTo(t, s, "c_1", "r_1", step.event)
		var want []agent.RunRef
		if step.found {
			want = append(want, ref)
		}
		wantUnfinished(t, s, "after "+string(step.event.Kind()), want...)
		s = reopen()
		wantUnfinished(t, s, "after "+string(step.event.Kind())+" and a restart", want...)
	}
}

func unfinishedOrder(t *testing.T, open Open) {
	s, _ := open(t)
	var want []agent.RunRef
	for i, id := range []agent.ConversationID{"c_b", "c_a", "c_d", "c_c"} {
		run := agent.RunID("r_" + id)
		appendAfter(t, s, id, 0, t0.Add(time.Duration(i)*time.Nanosecond), "", created)
		startRun(t, s, id, run)
		want = append(want, agent.RunRef{Conversation: id, Run: run})
	}
	appendTo(t, s, "c_b", "r_c_b", agent.RunStarted{Epoch: 1})
	wantUnfinished(t, s, "oldest first", want...)
}

func unfinishedRewound(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	appendTo(t, s, "c_1", "", agent.Rewound{To: 1})
	wantUnfinished(t, s, "after a rewind")
	startRun(t, s, "c_1", "r_2")
	wantUnfinished(t, s, "after the next run", agent.RunRef{Conversation: "c_1", Run: "r_2"})
}

// One append may end a run and start the next.
func unfinishedQueuedRun(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	_, err := s.Append(t.Context(), agent.Batch{Conversation: "c_1", After: 3, At: t0, Entries: []agent.Entry{
		{Run: "r_1", Event: agent.RunFinished{Status: agent.StatusCancelled}},
		{Run: "r_2", Event: agent.UserMessage{Message: "m_2"}},
		{Run: "r_2", Event: agent.RunCreated{Message: "m_2"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	wantUnfinished(t, s, "after the queued message", agent.RunRef{Conversation: "c_1", Run: "r_2"})
}

func wantExpiring(t *testing.T, s Store, by, next time.Time, due ...agent.RunRef) {
	t.Helper()
	gotDue, gotNext, err := s.Expiring(t.Context(), by)
	if err != nil {
		t.Fatalf("expiring by %v: %v", by, err)
	}
	equal(t, "due by "+by.String(), append([]agent.RunRef{}, due...), append([]agent.RunRef{}, gotDue...))
	if !gotNext.Equal(next) {
		t.Errorf("next after %v: got %v, want %v", by, gotNext, next)
	}
}

func waitForApproval(t *testing.T, s Store, id agent.ConversationID, run agent.RunID, expires ...time.Time) {
	t.Helper()
	create(t, s, id)
	startRun(t, s, id, run)
	appendTo(t, s, id, run, agent.RunStarted{Epoch: 1})
	for i, at := range expires {
		appendTo(t, s, id, run, agent.ApprovalRequested{Interaction: agent.InteractionID("i_" + string(run) + string(rune('a'+i))), ExpiresAt: at})
	}
	appendTo(t, s, id, run, agent.RunWaiting{For: agent.StatusWaitingApproval})
}

func expiringFollows(t *testing.T, open Open) {
	s, reopen := open(t)
	never := time.Time{}
	wantExpiring(t, s, t0, never)
	early, late := t0.Add(time.Minute), t0.Add(time.Hour)
	waitForApproval(t, s, "c_1", "r_1", late)
	waitForApproval(t, s, "c_2", "r_2", early)
	waitForApproval(t, s, "c_3", "r_3", never)
	r1, r2 := agent.RunRef{Conversation: "c_1", Run: "r_1"}, agent.RunRef{Conversation: "c_2", Run: "r_2"}
	for s := range withRestart(s, reopen) {
		wantExpiring(t, s, t0, early)
		wantExpiring(t, s, early, late, r2)
		wantExpiring(t, s, late, never, r1, r2)
	}
	s = reopen()
	appendTo(t, s, "c_2", "r_2", agent.InteractionClosed{Interaction: "i_r_2a", How: agent.ClosedExpired})
	wantExpiring(t, s, late, never, r1)
	appendTo(t, s, "c_1", "", agent.Rewound{To: 1})
	wantExpiring(t, s, late, never)
	waitForApproval(t, s, "c_4", "r_4", early, late)
	wantExpiring(t, s, early, late, agent.RunRef{Conversation: "c_4", Run: "r_4"})
	wantExpiring(t, s, late, never, agent.RunRef{Conversation: "c_4", Run: "r_4"})
	appendTo(t, s, "c_4", "r_4", agent.RunFinished{Status: agent.StatusCancelled})
	wantExpiring(t, s, late, never)
}

// A deadline is never early and never late, not even by a nanosecond: whoever
// sleeps until next must then find the run due.
func expiringExact(t *testing.T, open Open) {
	s, reopen := open(t)
	at := t0.Add(1)
	waitForApproval(t, s, "c_1", "r_1", at.In(time.FixedZone("somewhere", -3*60*60)))
	s = reopen()
	wantExpiring(t, s, at.Add(-1), at)
	wantExpiring(t, s, at, time.Time{}, agent.RunRef{Conversation: "c_1", Run: "r_1"})
}

func indexEndedContext(t *testing.T, open Open) {
	s, _ := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Unfinished(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("unfinished: got %v, want context.Canceled", err)
	}
	if _, _, err := s.Expiring(ctx, t0); !errors.Is(err, context.Canceled) {
		t.Errorf("expiring: got %v, want context.Canceled", err)
	}
}
