package models

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"countersign/agent"
	"countersign/providers"
)

var t0 = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// A script appends to one conversation.
type script struct {
	t  testing.TB
	j  Journal
	id agent.ConversationID
	at agent.Seq
}

func begin(t testing.TB, db *DB, id agent.ConversationID, owner agent.UserID) *script {
	t.Helper()
	s := &script{t: t, j: db.Journal(), id: id}
	s.add("", agent.ConversationCreated{Owner: owner, Agent: "g_1", AgentName: "Assistant"})
	return s
}

func (s *script) batch(run agent.RunID, events ...agent.Event) agent.Batch {
	b := agent.Batch{Conversation: s.id, After: s.at, At: t0.Add(time.Duration(s.at) * time.Second)}
	for _, e := range events {
		b.Entries = append(b.Entries, agent.Entry{Run: run, Event: e})
	}
	return b
}

func (s *script) add(run agent.RunID, events ...agent.Event) {
	s.t.Helper()
	s.append(s.batch(run, events...))
}

func (s *script) append(b agent.Batch) {
	s.t.Helper()
	records, err := s.j.Append(context.Background(), b)
	if err != nil {
		s.t.Fatal(err)
	}
	s.at = records[len(records)-1].Seq
}

func (s *script) start(run agent.RunID) {
	s.t.Helper()
	s.add(run, agent.UserMessage{Message: agent.MessageID("m_" + run)}, agent.RunCreated{}, agent.RunStarted{Epoch: 1})
}

func (s *script) wait(run agent.RunID) {
	s.t.Helper()
	i := agent.InteractionID("i_" + run)
	s.add(run, agent.ApprovalRequested{Interaction: i, ExpiresAt: t0.Add(time.Hour)}, agent.RunWaiting{For: agent.StatusWaitingApproval})
}

func (s *script) answer(run agent.RunID) {
	s.t.Helper()
	i := agent.InteractionID("i_" + run)
	s.add(run, agent.InteractionClosed{Interaction: i, How: agent.ClosedDecided}, agent.RunResumed{}, agent.RunStarted{Epoch: 2})
}

func (s *script) finish(run agent.RunID) {
	s.t.Helper()
	eight := int64(8)
	b := s.batch(run,
		agent.ModelUsage{Attempt: agent.AttemptID("a_" + run), Usage: providers.Usage{Output: &eight}},
		agent.RunFinished{Status: agent.StatusSucceeded})
	b.Outputs = []agent.Output{{Run: run, Attempt: agent.AttemptID("a_" + run), Replay: &providers.Replay{Binding: "b", State: []byte("{}")}}}
	s.append(b)
}

func TestReadModel_Rows(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	s := begin(t, db, "c_1", "u_1")
	s.start("r_1")
	s.wait("r_1")
	want := runRow{ID: "r_1", Conversation: "c_1", FirstSeq: 2, Status: agent.StatusWaitingApproval, Epoch: 1, CreatedAt: stampOf(t0.Add(time.Second))}
	check := func(open int) {
		t.Helper()
		var got runRow
		if err := db.read(t.Context()).Take(&got, "id = 'r_1'").Error; err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		var n int64
		if err := db.read(t.Context()).Model(&interactionRow{}).Where("open = 1").Count(&n).Error; err != nil || int(n) != open {
			t.Errorf("%d open interactions, %v, want %d", n, err, open)
		}
	}
	check(1)
	s.answer("r_1")
	want.Status, want.Epoch = agent.StatusRunning, 2
	check(0)
	s.add("r_1", agent.RunStarted{Epoch: 3, Reclaimed: true})
	want.Epoch = 3
	check(0)
	last := s.at
	s.finish("r_1")
	want.Status, want.FinishedAt = agent.StatusSucceeded, stampOf(t0.Add(time.Duration(last)*time.Second))
	check(0)
	s.add("", agent.Rewound{To: 1})
	want.Rewound = true
	check(0)
}

// A run may end with its card open; the next run has nothing to do with it.
func TestReadModel_CardOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	s := begin(t, db, "c_1", "u_1")
	s.start("r_1")
	s.wait("r_1")
	s.finish("r_1")
	s.start("r_2")
	var got interactionRow
	if err := db.read(t.Context()).Take(&got).Error; err != nil || got.Run != "r_1" || got.Open {
		t.Errorf("the card is of %s, open %v, %v", got.Run, got.Open, err)
	}
}

// dump returns all that follows from the journal.
func dump(t *testing.T, db *DB) map[string][]map[string]any {
	t.Helper()
	tables := map[string][]map[string]any{}
	for table, order := range map[string]string{
		"conversations": "id", "runs": "conversation, id", "interactions": "conversation, id", "attempt_outputs": "conversation, attempt", "usage": "conversation, attempt",
	} {
		var rows []map[string]any
		if err := db.read(t.Context()).Table(table).Order(order).Find(&rows).Error; err != nil {
			t.Fatal(err)
		}
		tables[table] = rows
	}
	return tables
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	for i := range 2 {
		s := begin(t, db, agent.ConversationID(fmt.Sprint("c_", i)), "u_1")
		run := func(n int) agent.RunID { return agent.RunID(fmt.Sprintf("r_%d_%d", i, n)) }
		s.start(run(1))
		s.wait(run(1))
		s.answer(run(1))
		s.finish(run(1))
		kept := s.at
		s.start(run(2))
		s.wait(run(2))
		s.add("", agent.Rewound{To: kept})
		s.start(run(3))
		s.finish(run(3))
		s.add("", agent.Rewound{To: kept})
		s.add("", agent.ConversationTitled{Title: "A title"}, agent.MessageQueued{Message: "m", Text: "next"})
		s.start(run(4))
		s.wait(run(4))
	}
	want := dump(t, db)
	if n := len(want["runs"]) + len(want["interactions"]) + len(want["attempt_outputs"]) + len(want["usage"]); n != 8+6+4+4 {
		t.Fatalf("%d rows follow from the journal, want 22: %v", n, want)
	}
	err := db.write(t.Context(), func(tx *gorm.DB) error {
		return errors.Join(
			tx.Exec("DELETE FROM runs WHERE first_seq < 10").Error,
			tx.Exec("UPDATE runs SET status = 'failed', epoch = 9, rewound = 1 - rewound").Error,
			tx.Exec("INSERT INTO interactions VALUES ('i_x', 'c_0', 'r_x', 'approval', 1, 1)").Error,
			tx.Exec("UPDATE interactions SET open = 1 - open, expires_at = 7").Error,
			tx.Exec("UPDATE attempt_outputs SET rewound = 1 - rewound").Error,
			tx.Exec("UPDATE usage SET output = 9, owner = 'u_x'").Error,
			tx.Exec("UPDATE conversations SET head = x'7b7d', title = '', last_seq = 1, needs_you = 0, run_status = '', updated_at = 0").Error,
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []agent.ConversationID{"c_0", "c_1"} {
		if err := db.Journal().Rebuild(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, dump(t, db)); diff != "" {
		t.Errorf("(-written +rebuilt):\n%s", diff)
	}
	if err := db.Journal().Rebuild(t.Context(), "c_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestAppend_RunOfAnotherConversation(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	begin(t, db, "c_1", "u_1").start("r_1")
	s := begin(t, db, "c_2", "u_1")
	before := dump(t, db)
	if _, err := s.j.Append(t.Context(), s.batch("r_1", agent.UserMessage{})); err == nil {
		t.Error("two conversations have one run")
	}
	if diff := cmp.Diff(before, dump(t, db)); diff != "" {
		t.Error(diff)
	}
}
