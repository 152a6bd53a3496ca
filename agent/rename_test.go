package agent_test

import (
	"errors"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
)

// shelf is an engine that runs nothing, on a journal with some events of the
// conversation c_1.
func shelf(t *testing.T, events ...agent.Event) (*agent.Engine, *journaltest.Memory) {
	t.Helper()
	memory := journaltest.NewMemory()
	b := agent.Batch{Conversation: "c_1", At: noon}
	for _, e := range append([]agent.Event{agent.ConversationCreated{Owner: "ann"}}, events...) {
		b.Entries = append(b.Entries, agent.Entry{Run: "r_1", Event: e})
	}
	if _, err := memory.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return agent.NewEngine(agent.Config{Journal: memory, Index: memory}), memory
}

func headOf(t *testing.T, j agent.Journal) agent.Head {
	t.Helper()
	h, err := j.Head(t.Context(), "c_1")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRename(t *testing.T) {
	t.Parallel()
	engine, memory := shelf(t)
	family := "\U0001f468\u200d\U0001f469\u200d\U0001f467"
	for given, want := range map[string]string{
		"Milk":                              "Milk",
		" two \t words \n":                  "two words",
		family + " \U0001f1eb\U0001f1f7":    family + " \U0001f1eb\U0001f1f7",
		"می\u200cخواهم":                     "می\u200cخواهم",
		"?":                                 "?",
		strings.Repeat("你", agent.MaxTitle): strings.Repeat("你", agent.MaxTitle),
	} {
		if err := engine.Rename(t.Context(), "c_1", given); err != nil || headOf(t, memory).Title != want {
			t.Errorf("%q became %q, %v", given, headOf(t, memory).Title, err)
		}
	}
	before := headOf(t, memory)
	for name, title := range map[string]string{
		"nothing": "", "white space": " \u3000\n", "blank letters": "\u3164\u2800", "joiners": "\u200d\u200c",
		"a mark": "\u0301", "a control": "a\x00b", "directions": "a\u202eb", "no width": "a\u200bb",
		"not UTF-8": "a\xff", "private use": "a\ue000", "too long": strings.Repeat("你", agent.MaxTitle+1),
	} {
		if err := engine.Rename(t.Context(), "c_1", title); !isInputError(err) {
			t.Errorf("%s: got %v, want to be refused", name, err)
		}
	}
	if err := engine.Rename(t.Context(), "c_1", before.Title); err != nil {
		t.Error(err)
	}
	if after := headOf(t, memory); after.Seq != before.Seq {
		t.Errorf("%d records more, want none", after.Seq-before.Seq)
	}
	if err := engine.Rename(t.Context(), "c_none", "Milk"); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	engine, memory := shelf(t)
	for _, archived := range []bool{true, true, false, false, true} {
		if err := engine.Archive(t.Context(), "c_1", archived); err != nil || headOf(t, memory).Archived != archived {
			t.Errorf("archived %v, %v, want %v", headOf(t, memory).Archived, err, archived)
		}
	}
	if seq := headOf(t, memory).Seq; seq != 4 {
		t.Errorf("%d records, want one for each change", seq)
	}
	if err := engine.Archive(t.Context(), "c_none", true); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestArchive_RunUnderWay(t *testing.T) {
	t.Parallel()
	engine, memory := shelf(t, agent.UserMessage{Message: "m_1", Text: "Hi"}, agent.RunCreated{Message: "m_1"})
	if err := engine.Archive(t.Context(), "c_1", true); !isInputError(err) || headOf(t, memory).Archived {
		t.Errorf("archived a conversation that works: %v", err)
	}
}

// A message to an archived conversation brings it back.
func TestArchive_NewRun(t *testing.T) {
	t.Parallel()
	_, memory := shelf(t, agent.ConversationArchived{}, agent.UserMessage{Message: "m_1", Text: "Hi"})
	if headOf(t, memory).Archived {
		t.Error("a conversation with a new run is archived")
	}
}
