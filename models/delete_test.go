package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

const canary = "canary-5b1f0c"

// longTalk makes a conversation whose every text is the canary, too long to
// be erased by one job of each kind.
func longTalk(t *testing.T, db *DB, id agent.ConversationID, owner agent.UserID) *script {
	t.Helper()
	s := begin(t, db, id, owner)
	s.add("", agent.ConversationTitled{Title: canary})
	file, err := db.Attachments().Put(t.Context(), owner, Upload{
		Name: canary, Type: agent.TypeText, Data: []byte(strings.Repeat(canary+string(id), 2*attachmentPart/len(canary))), Preview: []byte(canary),
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*eraseRows + 1 {
		run := agent.RunID(fmt.Sprint("r_", id, "_", i))
		s.add(run, agent.UserMessage{Message: agent.MessageID("m_" + run), Text: canary, Attachments: []agent.Attachment{file}}, agent.RunCreated{}, agent.RunStarted{Epoch: 1})
		s.wait(run)
		s.add(run, agent.ApprovalDecision{
			Interaction: "i_" + agent.InteractionID(run), Call: "t_1", Tool: "notes_write", Binding: canary,
			Verdict: agent.VerdictDeny, Origin: agent.OriginHuman, Reason: canary, By: agent.Actor{User: "u_1", Name: canary},
		})
		b := s.batch(run, agent.RunFinished{Status: agent.StatusSucceeded})
		b.Outputs = []agent.Output{{
			Run: run, Attempt: "a_" + agent.AttemptID(run), Segments: []agent.Segment{{Channel: agent.ChannelAnswer, Text: canary}},
			Replay: &providers.Replay{Binding: "b", State: []byte(canary)},
		}}
		s.append(b)
		if err := db.Notes().Write(t.Context(), id, fmt.Sprint(canary, i), canary); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// rowsOf counts what tables hold of a conversation.
func rowsOf(t *testing.T, db *DB, id agent.ConversationID) map[string]int64 {
	t.Helper()
	left := map[string]int64{}
	for _, table := range []string{"events", "runs", "interactions", "attempt_outputs", "notes", "attachments", "erased_decisions"} {
		var n int64
		if err := db.reader.Table(table).Where("conversation = ?", id).Count(&n).Error; err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			left[table] = n
		}
	}
	var n int64
	if err := db.reader.Table("conversations").Where("id = ?", id).Count(&n).Error; err != nil || n > 0 {
		left["conversations"] = n
	}
	return left
}

func onlyTombstones(t *testing.T, db *DB, id agent.ConversationID) {
	t.Helper()
	want := map[string]int64{"erased_decisions": 2*eraseRows + 1}
	if diff := cmp.Diff(want, rowsOf(t, db, id)); diff != "" {
		t.Errorf("left of %s (-want +got):\n%s", id, diff)
	}
}

func TestDelete_LeavesNoText(t *testing.T) {
	t.Parallel()
	c := Config{Dir: t.TempDir()}
	db := openTest(t, c)
	longTalk(t, db, "c_1", "u_1")
	kept := begin(t, db, "c_2", "u_1")
	kept.start("r_kept")
	before := rowsOf(t, db, "c_2")
	if err := db.Conversations().Delete(t.Context(), "c_1", "u_1"); err != nil {
		t.Fatal(err)
	}
	if err := db.Conversations().Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	onlyTombstones(t, db, "c_1")
	var parts int64
	if err := db.reader.Table("attachment_parts").Count(&parts).Error; err != nil || parts != 0 {
		t.Errorf("%d parts of files are left, %v", parts, err)
	}
	if diff := cmp.Diff(before, rowsOf(t, db, "c_2")); diff != "" {
		t.Errorf("another conversation (-before +after):\n%s", diff)
	}
	var d erasedDecisionRow
	if err := db.reader.Order("id").Take(&d).Error; err != nil {
		t.Fatal(err)
	}
	want := erasedDecisionRow{
		ID: 1, Conversation: "c_1", Run: "r_c_1_0", Tool: "notes_write", Verdict: agent.VerdictDeny, Origin: agent.OriginHuman, Actor: "u_1", At: d.At,
	}
	if diff := cmp.Diff(want, d); diff != "" || d.At == 0 {
		t.Errorf("a tombstone (-want +got):\n%s", diff)
	}
	files, err := filepath.Glob(filepath.Join(c.Dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err != nil || strings.Contains(string(data), canary) {
			t.Errorf("%s holds what was deleted, or %v", filepath.Base(f), err)
		}
	}
}

// From the moment that it is deleted, nobody finds a conversation and nothing
// is added to it, however much of it is still to be erased.
func TestDelete_IsAtOnce(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	endSweeping(db)
	s := longTalk(t, db, "c_1", "u_1")
	if err := db.Conversations().Delete(t.Context(), "c_1", "u_1"); err != nil {
		t.Fatal(err)
	}
	if left := rowsOf(t, db, "c_1"); left["events"] == 0 {
		t.Fatal("it is erased already")
	}
	if page, _, err := db.Conversations().List(t.Context(), "u_1", "", 10); err != nil || len(page) != 0 {
		t.Errorf("listed %v, %v", page, err)
	}
	for what, err := range map[string]error{
		"owned":  second(db.Conversations().Owned(t.Context(), "c_1", "u_1")),
		"head":   second(s.j.Head(t.Context(), "c_1")),
		"append": second(s.j.Append(t.Context(), s.batch("", agent.ConversationTitled{Title: "late"}))),
		"create": second(s.j.Append(t.Context(), agent.Batch{Conversation: "c_1", Entries: []agent.Entry{{Event: agent.ConversationCreated{}}}})),
		"delete": db.Conversations().Delete(t.Context(), "c_1", "u_1"),
		"repair": s.j.Rebuild(t.Context(), "c_1"),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", what, err)
		}
	}
	if err := db.Conversations().Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	onlyTombstones(t, db, "c_1")
}

func second[T any](_ T, err error) error { return err }

func TestDelete_Refused(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	s := begin(t, db, "c_1", "u_1")
	s.start("r_1")
	for _, ref := range []struct {
		id    agent.ConversationID
		owner agent.UserID
		want  error
	}{{"c_1", "u_2", ErrNotFound}, {"c_1", "", ErrNotFound}, {"c_none", "u_1", ErrNotFound}, {"c_1", "u_1", agent.ErrConflict}} {
		if err := db.Conversations().Delete(t.Context(), ref.id, ref.owner); !errors.Is(err, ref.want) {
			t.Errorf("%s of %q: got %v, want %v", ref.id, ref.owner, err, ref.want)
		}
	}
	s.wait("r_1")
	if err := db.Conversations().Delete(t.Context(), "c_1", "u_1"); !errors.Is(err, agent.ErrConflict) {
		t.Errorf("while a card waits: got %v, want ErrConflict", err)
	}
	s.add("r_1", agent.RunFinished{Status: agent.StatusCancelled})
	if got, err := db.Conversations().Extent(t.Context(), "c_1"); err != nil || got != (Extent{Messages: 1}) {
		t.Errorf("extent %+v, %v", got, err)
	}
	if err := db.Conversations().Delete(t.Context(), "c_1", "u_1"); err != nil {
		t.Error(err)
	}
}

// A process that ended in the middle of an erasure leaves the rest to the
// next one.
func TestErase_GoesOn(t *testing.T) {
	t.Parallel()
	for parts := range 8 {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			t.Parallel()
			c := Config{Dir: t.TempDir()}
			db := openTest(t, c)
			endSweeping(db)
			longTalk(t, db, "c_1", "u_1")
			if err := db.Conversations().Delete(t.Context(), "c_1", "u_1"); err != nil {
				t.Fatal(err)
			}
			for range parts {
				if more, err := eraseSome(db.writer); err != nil || !more {
					t.Fatal(more, err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			again := openTest(t, c)
			if err := again.Conversations().Erase(t.Context()); err != nil {
				t.Fatal(err)
			}
			onlyTombstones(t, again, "c_1")
		})
	}
}

func TestDelete_Race(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	for round := range 50 {
		id := agent.ConversationID(fmt.Sprint("c_", round))
		s := begin(t, db, id, "u_1")
		errs := make([]error, 3)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() { errs[i] = db.Conversations().Delete(t.Context(), id, "u_1") })
		}
		wg.Go(func() {
			run := agent.RunID("r_" + id)
			_, errs[2] = s.j.Append(t.Context(), s.batch(run, agent.UserMessage{Message: "m_1"}, agent.RunCreated{}))
		})
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !errors.Is(err, ErrNotFound) && !errors.Is(err, agent.ErrConflict) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Fatalf("%d of two deletions and a message went through: %v", won, errs)
		}
	}
}
