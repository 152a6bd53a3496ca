package models

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gorm.io/gorm"
	"pgregory.net/rapid"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
)

// Whatever is appended, the database tells what the reference journal tells,
// and its read models are those that a rebuild gives.
func TestJournal_TellsWhatMemoryTells(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	rapid.Check(t, func(rt *rapid.T) {
		err := db.write(rt.Context(), func(tx *gorm.DB) error { return tx.Exec("DELETE FROM conversations").Error })
		if err != nil {
			rt.Fatal(err)
		}
		d := &drawn{T: rt, memory: journaltest.NewMemory(), db: db}
		for range rapid.IntRange(1, 16).Draw(rt, "appends") {
			d.append()
			d.compare()
		}
		want := dump(t, db)
		for i := range conversations {
			if _, err := d.memory.Head(d.Context(), conversationID(i)); err != nil {
				continue
			}
			if err := db.Journal().Rebuild(d.Context(), conversationID(i)); err != nil {
				rt.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, dump(t, db)); diff != "" {
			rt.Errorf("(-written +rebuilt):\n%s", diff)
		}
	})
}

const conversations = 2

func conversationID(i int) agent.ConversationID {
	return agent.ConversationID(fmt.Sprint("c_", i))
}

// drawn appends the same to two journals.
type drawn struct {
	*rapid.T
	memory *journaltest.Memory
	db     *DB
	n      int // names what must be unique
}

func (d *drawn) name(prefix string) string {
	d.n++
	return fmt.Sprint(prefix, d.n)
}

func (d *drawn) append() {
	id := conversationID(rapid.IntRange(0, conversations-1).Draw(d.T, "conversation"))
	h, _ := d.memory.Head(d.Context(), id) // the zero one before it is created
	b := agent.Batch{Conversation: id, After: h.Seq, At: t0.Add(time.Duration(d.n) * time.Second)}
	for range rapid.IntRange(1, 4).Draw(d.T, "entries") {
		e := agent.Entry{Event: agent.ConversationCreated{Owner: "u_1"}}
		if h.Seq > 0 {
			e = d.entry(&h, &b)
		}
		b.Entries = append(b.Entries, e)
		h.Apply(agent.Record{Conversation: id, Seq: h.Seq + 1, Run: e.Run, At: b.At, Event: e.Event})
	}
	if rapid.IntRange(0, 9).Draw(d.T, "stale") == 0 {
		b.After++
	}
	want, err := d.memory.Append(d.Context(), b)
	got, gotErr := d.db.Journal().Append(d.Context(), b)
	if (err == nil) != (gotErr == nil) {
		d.Fatalf("memory: %v, database: %v", err, gotErr)
	}
	d.same("records", want, got)
}

// entry draws an event that may come next.
func (d *drawn) entry(h *agent.Head, b *agent.Batch) agent.Entry {
	run := agent.RunID(d.name("r_"))
	if h.Run != nil && !h.Run.Status.Terminal() {
		run = h.Run.ID
	}
	expires := t0.Add(time.Duration(rapid.IntRange(0, 60).Draw(d.T, "expires")) * time.Second)
	attempt := agent.AttemptID(d.name("a_"))
	events := []agent.Event{
		agent.ConversationTitled{Title: d.name("title ")},
		agent.Rewound{To: agent.Seq(rapid.IntRange(1, int(h.Seq)).Draw(d.T, "to"))},
	}
	if h.Run == nil || h.Run.Status.Terminal() {
		events = append(events, agent.UserMessage{Message: "m"})
	}
	possible := []agent.Event{
		agent.RunCreated{}, agent.RunStarted{Epoch: d.n}, agent.ModelAttemptFinished{Attempt: attempt},
		agent.ApprovalRequested{Interaction: agent.InteractionID(d.name("i_")), ExpiresAt: expires},
		agent.ReconcileRequested{Interaction: agent.InteractionID(d.name("i_"))},
		agent.RunWaiting{For: agent.StatusWaitingApproval}, agent.RunWaiting{For: agent.StatusWaitingInput},
		agent.RunResumed{}, agent.RunFinished{Status: agent.StatusFailed},
	}
	if h.Run != nil {
		for _, i := range h.Run.Open {
			possible = append(possible, agent.InteractionClosed{Interaction: i.ID})
		}
		for _, e := range possible {
			if agent.Legal(h.Run.Status, e.Kind()) {
				events = append(events, e)
			}
		}
	}
	e := rapid.SampledFrom(events).Draw(d.T, "event")
	switch e.(type) {
	case agent.ConversationTitled, agent.Rewound:
		return agent.Entry{Event: e}
	case agent.ModelAttemptFinished:
		b.Outputs = append(b.Outputs, agent.Output{
			Run: run, Attempt: attempt, Withdrawn: rapid.Bool().Draw(d.T, "withdrawn"),
			Replay: &providers.Replay{Binding: "b", State: []byte(d.name(""))},
		})
	}
	return agent.Entry{Run: run, Event: e}
}

func (d *drawn) compare() {
	for i := range conversations {
		want, err := d.memory.Head(d.Context(), conversationID(i))
		got, gotErr := d.db.Journal().Head(d.Context(), conversationID(i))
		if (err == nil) != (gotErr == nil) {
			d.Fatalf("head: memory: %v, database: %v", err, gotErr)
		}
		d.same("head", want, got)
		d.both("replays", func(s journaltest.Store) (any, error) { return s.Replays(d.Context(), conversationID(i)) })
	}
	d.both("unfinished", func(s journaltest.Store) (any, error) { return s.Unfinished(d.Context()) })
	by := t0.Add(time.Duration(rapid.IntRange(0, 60).Draw(d.T, "by")) * time.Second)
	d.both("expiring", func(s journaltest.Store) (any, error) {
		due, next, err := s.Expiring(d.Context(), by)
		return struct {
			Due  []agent.RunRef
			Next time.Time
		}{due, next}, err
	})
}

func (d *drawn) both(what string, ask func(journaltest.Store) (any, error)) {
	want, err := ask(d.memory)
	got, gotErr := ask(d.db.Journal())
	if err != nil || gotErr != nil {
		d.Fatalf("%s: memory: %v, database: %v", what, err, gotErr)
	}
	d.same(what, want, got)
}

func (d *drawn) same(what string, want, got any) {
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		d.Fatalf("%s (-memory +database):\n%s", what, diff)
	}
}
