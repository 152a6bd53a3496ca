package journaltest

import (
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

// A Store is what the suite judges.
type Store interface {
	agent.Journal
	agent.Index
}

// An Open returns an empty store, and a function that closes the store and
// opens it again as a server that starts anew does.
type Open func(t *testing.T) (s Store, reopen func() Store)

// Run judges a store.
func Run(t *testing.T, open Open) {
	for name, check := range map[string]func(*testing.T, Open){
		"Append/DenseSequence":         appendDense,
		"Append/AllOrNone":             appendAllOrNone,
		"Append/Conflict":              appendConflict,
		"Append/OneWinner":             appendOneWinner,
		"Append/ManyConversations":     appendManyConversations,
		"Append/Creation":              appendCreation,
		"Append/EndedContext":          appendEndedContext,
		"Read/WhatWasAppended":         readWhatWasAppended,
		"Read/After":                   readAfter,
		"Read/ManyPages":               readManyPages,
		"Read/EarlyBreak":              readEarlyBreak,
		"Read/EndedContext":            readEndedContext,
		"Read/Run":                     readRun,
		"Read/EveryKind":               readEveryKind,
		"Read/UnknownKind":             readUnknownKind,
		"Read/OddText":                 readOddText,
		"Head/FoldsTheJournal":         headFolds,
		"Head/NotFound":                headNotFound,
		"Replays/CompletedAttempts":    replaysCompleted,
		"Replays/RewoundAttempts":      replaysRewound,
		"Unfinished/FollowsTheJournal": unfinishedFollows,
		"Unfinished/OldestFirst":       unfinishedOrder,
		"Unfinished/Rewound":           unfinishedRewound,
		"Unfinished/QueuedRun":         unfinishedQueuedRun,
		"Expiring/FollowsTheJournal":   expiringFollows,
		"Expiring/Exact":               expiringExact,
		"Index/EndedContext":           indexEndedContext,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, open)
		})
	}
}

var t0 = time.Date(2026, 3, 14, 15, 9, 26, 535897932, time.UTC)

// appendTo appends events of one run, wherever the conversation ends.
func appendTo(t *testing.T, s Store, id agent.ConversationID, run agent.RunID, events ...agent.Event) []agent.Record {
	t.Helper()
	h, err := s.Head(t.Context(), id)
	if err != nil {
		t.Fatalf("head of %s: %v", id, err)
	}
	return appendAfter(t, s, id, h.Seq, h.UpdatedAt.Add(time.Millisecond), run, events...)
}

func appendAfter(t *testing.T, s Store, id agent.ConversationID, after agent.Seq, at time.Time, run agent.RunID, events ...agent.Event) []agent.Record {
	t.Helper()
	records, err := s.Append(t.Context(), batch(id, after, at, run, events...))
	if err != nil {
		t.Fatalf("append to %s: %v", id, err)
	}
	return records
}

func batch(id agent.ConversationID, after agent.Seq, at time.Time, run agent.RunID, events ...agent.Event) agent.Batch {
	b := agent.Batch{Conversation: id, After: after, At: at}
	for _, e := range events {
		b.Entries = append(b.Entries, agent.Entry{Run: run, Event: e})
	}
	return b
}

func create(t *testing.T, s Store, id agent.ConversationID) {
	t.Helper()
	appendAfter(t, s, id, 0, t0, "", created)
}

var created = agent.ConversationCreated{
	Owner: "u_1", Agent: "g_1", AgentName: "Assistant",
	Model: agent.ModelRef{Provider: "p_1", ProviderName: "Local", Model: "m"},
}

// startRun makes a run pending.
func startRun(t *testing.T, s Store, id agent.ConversationID, run agent.RunID) {
	t.Helper()
	appendTo(t, s, id, run,
		agent.UserMessage{Message: agent.MessageID("m_" + run), Text: "do " + string(run)},
		agent.RunCreated{Message: agent.MessageID("m_" + run)})
}

func finish(t *testing.T, s Store, id agent.ConversationID, run agent.RunID) {
	t.Helper()
	appendTo(t, s, id, run, agent.RunFinished{Status: agent.StatusSucceeded})
}

func read(t *testing.T, s Store, id agent.ConversationID, after agent.Seq) []agent.Record {
	t.Helper()
	var list []agent.Record
	for r, err := range s.Read(t.Context(), id, after) {
		if err != nil {
			t.Fatalf("read %s after %d: %v", id, after, err)
		}
		list = append(list, r)
	}
	return list
}

// withRestart yields a store, and then what it is after a restart.
func withRestart(s Store, reopen func() Store) iter.Seq[Store] {
	return func(yield func(Store) bool) {
		if yield(s) {
			yield(reopen())
		}
	}
}

// equal compares what was stored, with the bytes of unknown events.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(sameUnknown)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func sameUnknown(a, b agent.Unknown) bool {
	x, _ := agent.EncodeEvent(a)
	y, _ := agent.EncodeEvent(b)
	return a.Kind() == b.Kind() && string(x) == string(y)
}
