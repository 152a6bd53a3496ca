package models

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

// A hand is a clock that is set.
type hand struct{ at atomic.Int64 }

func (h *hand) set(t time.Time) { h.at.Store(t.UnixNano()) }
func (h *hand) now() time.Time  { return time.Unix(0, h.at.Load()) }

func (s *script) archive() { s.add("", agent.ConversationArchived{}) }

// aged holds conversations in every state, all last used at t0.
func aged(t *testing.T, db *DB) {
	t.Helper()
	begin(t, db, "c_empty", "u_1")
	talk := func(id agent.ConversationID) (*script, agent.RunID) {
		s := begin(t, db, id, "u_1")
		run := agent.RunID("r_" + id)
		s.start(run)
		return s, run
	}
	done, run := talk("c_done")
	done.finish(run)
	archived, run := talk("c_archived")
	archived.finish(run)
	archived.archive()
	talk("c_running")
	waiting, run := talk("c_waiting")
	waiting.wait(run)
	pending := begin(t, db, "c_pending", "u_1")
	pending.add("r_pending", agent.UserMessage{Message: "m_p"}, agent.RunCreated{})
	queued, run := talk("c_queued")
	queued.add("", agent.MessageQueued{Message: "m_q", Text: "Later."})
	queued.add(run, agent.RunFinished{Status: agent.StatusCancelled})
}

func there(t *testing.T, db *DB) []string {
	t.Helper()
	var ids []string
	if err := db.reader.Model(&conversationRow{}).Where("deleted = 0").Order("id").Pluck("id", &ids).Error; err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestConversations_DeleteUnused(t *testing.T) {
	t.Parallel()
	var clock hand
	clock.set(t0.AddDate(0, 0, 30))
	db := openTest(t, Config{Now: clock.now})
	aged(t, db)
	all := []string{"c_archived", "c_done", "c_empty", "c_pending", "c_queued", "c_running", "c_waiting"}
	sweep := func(want int, left ...string) {
		t.Helper()
		if n, err := db.Conversations().DeleteUnused(t.Context()); err != nil || n != want {
			t.Errorf("got %d, %v; want %d", n, err, want)
		}
		if diff := cmp.Diff(left, there(t, db)); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	}
	clock.set(t0.AddDate(5, 0, 0))
	sweep(0, all...) // nobody has asked for it
	if err := db.SaveSettings(t.Context(), Settings{KeepDays: 30}); err != nil {
		t.Fatal(err)
	}
	clock.set(t0.AddDate(0, 0, 30))
	sweep(0, all...)
	clock.set(t0.AddDate(0, 0, 30).Add(time.Minute))
	if n, err := db.Conversations().Unused(t.Context(), 30); err != nil || n != 4 {
		t.Errorf("counted %d, %v; want 4", n, err)
	}
	sweep(3, "c_pending", "c_queued", "c_running", "c_waiting")
	sweep(0, "c_pending", "c_queued", "c_running", "c_waiting")
	if err := db.Conversations().Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int64{}, rowsOf(t, db, "c_done")); diff != "" {
		t.Errorf("not erased: %s", diff)
	}
}

// More conversations than one job takes are deleted, and one that comes into
// use at that moment stays whole.
func TestConversations_DeleteUnusedWhileUsed(t *testing.T) {
	t.Parallel()
	var clock hand
	clock.set(t0.AddDate(0, 0, 31))
	db := openTest(t, Config{Now: clock.now})
	if err := db.SaveSettings(t.Context(), Settings{KeepDays: 30}); err != nil {
		t.Fatal(err)
	}
	const many = 3*eraseRows + 1
	var scripts []*script
	for range many {
		scripts = append(scripts, begin(t, db, agent.ConversationID(agent.NewID("c_")), "u_1"))
	}
	used := make(chan error)
	go func() {
		var errs []error
		for _, s := range scripts {
			b := s.batch("", agent.ConversationTitled{Title: "Used"})
			b.At = clock.now()
			_, err := s.j.Append(context.Background(), b)
			if err != nil && !errors.Is(err, agent.ErrConflict) && !errors.Is(err, agent.ErrNotFound) {
				errs = append(errs, err)
			}
		}
		used <- errors.Join(errs...)
	}()
	deleted, err := db.Conversations().DeleteUnused(t.Context())
	if err := errors.Join(err, <-used); err != nil {
		t.Fatal(err)
	}
	var titled int64
	if err := db.reader.Model(&conversationRow{}).Where("deleted = 0 AND title = 'Used'").Count(&titled).Error; err != nil {
		t.Fatal(err)
	}
	if int(titled)+deleted != many || len(there(t, db)) != int(titled) {
		t.Errorf("%d deleted, %d used, %d there", deleted, titled, len(there(t, db)))
	}
}

// A server looks as soon as it starts.
func TestConversations_RetainUntil(t *testing.T) {
	t.Parallel()
	var clock hand
	clock.set(t0.AddDate(0, 0, 91))
	db := openTest(t, Config{Now: clock.now})
	begin(t, db, "c_old", "u_1")
	if err := db.SaveSettings(t.Context(), Settings{KeepDays: 90}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { db.Conversations().RetainUntil(ctx); close(ended) }()
	for deadline := time.Now().Add(time.Minute); len(there(t, db)) > 0 && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
	}
	stop()
	<-ended
	if left := there(t, db); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	check := func(want Settings) {
		t.Helper()
		if got, err := db.Settings(t.Context()); err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	check(Settings{})
	want := Settings{KeepDays: 90, Limits: agent.Bounds{PerPerson: 2, PerProvider: 8, Queue: 5, ToolCall: time.Minute}}
	for range 2 {
		if err := db.SaveSettings(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		check(want)
	}
	for field, s := range map[string]Settings{
		"keep_days":         {KeepDays: MaxKeepDays + 1},
		"runs_per_person":   {Limits: agent.Bounds{PerPerson: -1}},
		"runs_per_provider": {Limits: agent.Bounds{PerProvider: MaxPerProvider + 1}},
		"queued_messages":   {Limits: agent.Bounds{Queue: MaxQueue + 1}},
		"tool_call":         {Limits: agent.Bounds{ToolCall: time.Millisecond}},
	} {
		var invalid Invalid
		if err := db.SaveSettings(t.Context(), s); !errors.As(err, &invalid) || len(invalid) != 1 || invalid[field] == "" {
			t.Errorf("%s: got %v", field, err)
		}
	}
	check(want)
	outcome := func(change func(*Settings)) Outcome {
		t.Helper()
		applied, err := db.Apply(t.Context(), Setup{Settings: change})
		if err != nil || len(applied) != 1 || applied[0].Section != SectionSettings {
			t.Fatalf("%v, %v", applied, err)
		}
		return applied[0].Outcome
	}
	shorter := func(s *Settings) { s.KeepDays = 7 }
	if first, again := outcome(shorter), outcome(shorter); first != Updated || again != Unchanged {
		t.Errorf("got %s, then %s", first, again)
	}
	want.KeepDays = 7
	check(want)
}
