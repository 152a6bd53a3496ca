package models

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

func TestConversations_List(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	var want []agent.ConversationID
	for i := range 7 {
		s := begin(t, db, agent.ConversationID(fmt.Sprint("c_", i)), "u_1")
		want = append([]agent.ConversationID{s.id}, want...)
	}
	begin(t, db, "c_other", "u_2")
	var got []agent.ConversationID
	pages, cursor := 0, ""
	for {
		page, next, err := db.Conversations().List(t.Context(), "u_1", cursor, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page {
			got = append(got, c.ID)
		}
		pages++
		if cursor = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || pages != 3 {
		t.Errorf("%d pages, want 3: %s", pages, diff)
	}
	for _, bad := range []string{"x", "1", "a.c_1", "."} {
		var refused *agent.InputError
		if _, _, err := db.Conversations().List(t.Context(), "u_1", bad, 3); !errors.As(err, &refused) {
			t.Errorf("cursor %q: got %v, want an InputError", bad, err)
		}
	}
}

func TestConversations_Archive(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	begin(t, db, "c_1", "u_1").add("", agent.ConversationArchived{})
	begin(t, db, "c_2", "u_1")
	begin(t, db, "c_3", "u_1").add("", agent.ConversationArchived{}, agent.ConversationUnarchived{})
	begin(t, db, "c_4", "u_2").add("", agent.ConversationArchived{})
	for name, check := range map[string]struct {
		list func(context.Context, agent.UserID, string, int) ([]Conversation, string, error)
		want []agent.ConversationID
	}{
		"list":    {db.Conversations().List, []agent.ConversationID{"c_3", "c_2"}},
		"archive": {db.Conversations().Archive, []agent.ConversationID{"c_1"}},
	} {
		page, next, err := check.list(t.Context(), "u_1", "", 10)
		if err != nil || next != "" {
			t.Fatal(next, err)
		}
		var got []agent.ConversationID
		for _, c := range page {
			got = append(got, c.ID)
			if c.Archived != (name == "archive") {
				t.Errorf("%s is said to be archived: %v", c.ID, c.Archived)
			}
		}
		if diff := cmp.Diff(check.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestConversations_Status(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	s := begin(t, db, "c_1", "u_1")
	check := func(want Conversation, needs int) {
		t.Helper()
		want.ID, want.UpdatedAt = "c_1", t0.Add(time.Duration(s.at)*time.Second)
		got, err := db.Conversations().Owned(t.Context(), "c_1", "u_1")
		if err != nil {
			t.Fatal(err)
		}
		got.UpdatedAt, want.UpdatedAt = time.Time{}, time.Time{}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if n, err := db.Conversations().NeedsYou(t.Context(), "u_1"); err != nil || n != needs {
			t.Errorf("%d need you, %v, want %d", n, err, needs)
		}
	}
	check(Conversation{}, 0)
	s.start("r_1")
	s.add("", agent.ConversationTitled{Title: "Hello"})
	check(Conversation{Title: "Hello", Status: agent.StatusRunning}, 0)
	s.wait("r_1")
	check(Conversation{Title: "Hello", Status: agent.StatusWaitingApproval, NeedsYou: true}, 1)
	s.answer("r_1")
	s.finish("r_1")
	check(Conversation{Title: "Hello", Status: agent.StatusSucceeded}, 0)
	for _, c := range []struct {
		id    agent.ConversationID
		owner agent.UserID
	}{{"c_1", "u_2"}, {"c_2", "u_1"}} {
		if _, err := db.Conversations().Owned(t.Context(), c.id, c.owner); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s of %s: got %v, want ErrNotFound", c.id, c.owner, err)
		}
	}
	if n, err := db.Conversations().NeedsYou(t.Context(), "u_2"); err != nil || n != 0 {
		t.Errorf("%d need somebody else, %v", n, err)
	}
}

func TestConversations_Runs(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	s := begin(t, db, "c_1", "u_1")
	var all []Run
	for i := range 5 {
		run := agent.RunID(fmt.Sprint("r_", i))
		all = append([]Run{{run, s.at + 1, agent.StatusSucceeded}}, all...)
		s.start(run)
		s.finish(run)
	}
	place := all[1].FirstSeq // of r_3
	for _, c := range []struct {
		name   string
		before agent.Seq
		limit  int
		want   []Run
	}{
		{"newest", 0, 2, all[:2]},
		{"older", place, 2, all[2:4]},
		{"all", 0, 100, all},
		{"none", 2, 100, []Run{}},
	} {
		got, err := db.Conversations().Runs(t.Context(), "c_1", c.before, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	s.add("", agent.Rewound{To: place - 1})
	got, err := db.Conversations().Runs(t.Context(), "c_1", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all[2:], got); diff != "" {
		t.Errorf("after a rewind: %s", diff)
	}
	ref, err := db.Conversations().Find(t.Context(), "r_2")
	if want := (agent.RunRef{Conversation: "c_1", Run: "r_2"}); err != nil || ref != want {
		t.Errorf("found %v, %v, want %v", ref, err, want)
	}
	if _, err := db.Conversations().Find(t.Context(), "r_none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

// The queries that pages make use an index for both the rows and the order.
func TestQueries_UseIndexes(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	for name, query := range map[string]string{
		"conversations_by_owner":      "SELECT id FROM conversations WHERE owner = 'u' AND archived = 0 AND (updated_at, id) < (1, 'c') ORDER BY updated_at DESC, id DESC LIMIT 10",
		"conversations_that_need":     "SELECT count(*) FROM conversations WHERE owner = 'u' AND needs_you = 1",
		"attachments_by_owner":        "SELECT count(*) FROM attachments WHERE owner = 'u' AND conversation = ''",
		"attachments_by_conversation": "SELECT id FROM attachments WHERE conversation = '' AND created_at < 5 LIMIT 1",
		"attachments_by_content":      "SELECT count(*) FROM attachments WHERE hash = 'h' AND id <> 'f'",
		"conversations_deleted":       "SELECT id FROM conversations WHERE deleted = 1 LIMIT 1",
		"sessions_by_user":            "SELECT id FROM sessions WHERE user_id = 'u' ORDER BY used_at DESC",
		"runs_by_place":               "SELECT id FROM runs WHERE conversation = 'c' AND rewound = 0 AND first_seq < 9 ORDER BY first_seq DESC LIMIT 10",
		"runs_unfinished":             "SELECT id FROM runs WHERE rewound = 0 AND status IN ('pending', 'running') ORDER BY created_at, id",
		"interactions_expiring":       "SELECT min(expires_at) FROM interactions WHERE open = 1 AND expires_at <> 0 AND expires_at > 5",
		"events_by_run":               "SELECT seq FROM events WHERE conversation = 'c' AND run = 'r' AND seq > 0 ORDER BY seq LIMIT 10",
		"sqlite_autoindex_events_":    "SELECT * FROM events WHERE conversation = 'c' AND seq > 5 ORDER BY seq LIMIT 10",
	} {
		var plan []struct{ Detail string }
		if err := db.read(t.Context()).Raw("EXPLAIN QUERY PLAN " + query).Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		if len(plan) != 1 || !containsIndex(plan[0].Detail, name) {
			t.Errorf("%s: the plan is %v", name, plan)
		}
	}
}
