package journaltest_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/agent"
	"countersign/agent/journaltest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(*testing.T) (journaltest.Store, func() journaltest.Store) {
		m := journaltest.NewMemory()
		return m, func() journaltest.Store {
			m = m.Prefix("", 0) // the stored form is all that a restart keeps
			return m
		}
	})
}

func TestMemory_Prefix(t *testing.T) {
	t.Parallel()
	m := journaltest.NewMemory()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	add := func(id agent.ConversationID, after agent.Seq, outputs []agent.Output, events ...agent.Event) {
		b := agent.Batch{Conversation: id, After: after, At: at, Outputs: outputs}
		for _, e := range events {
			b.Entries = append(b.Entries, agent.Entry{Run: "r_1", Event: e})
		}
		if _, err := m.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	add("c_1", 0, nil, agent.ConversationCreated{Owner: "u_1"})
	add("c_1", 1, nil, agent.UserMessage{Message: "m_1"}, agent.RunCreated{Message: "m_1"})
	add("c_1", 3, []agent.Output{{Attempt: "a_1"}}, agent.RunStarted{Epoch: 1})
	add("c_2", 0, nil, agent.ConversationCreated{Owner: "u_2"})

	if diff := cmp.Diff([]agent.Seq{1, 3, 4}, m.Appends("c_1")); diff != "" {
		t.Error(diff)
	}
	for seq := range agent.Seq(5) {
		cut := m.Prefix("c_1", seq)
		if diff := cmp.Diff(m.Records("c_1")[:seq], cut.Records("c_1"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("prefix %d: %s", seq, diff)
		}
		h, err := cut.Head(t.Context(), "c_1")
		if (err != nil) != (seq == 0) || h.Seq != seq {
			t.Errorf("prefix %d: head at %d, %v", seq, h.Seq, err)
		}
		if got, want := len(cut.Outputs("c_1")), int(seq)/4; got != want {
			t.Errorf("prefix %d: %d outputs, want %d", seq, got, want)
		}
		if len(cut.Records("c_2")) != 1 {
			t.Errorf("prefix %d cut another conversation", seq)
		}
	}
	if got := len(m.Records("c_1")); got != 4 {
		t.Errorf("the journal itself has %d records, want 4", got)
	}
}
