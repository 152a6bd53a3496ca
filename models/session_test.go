package models_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

// A shelf of sessions, at a time that the test moves.
type sessionTest struct {
	t   *testing.T
	db  *models.DB
	now time.Time
}

func newSessionTest(t *testing.T) *sessionTest {
	s := &sessionTest{t: t, now: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)}
	s.db = modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return s.now }})
	return s
}

func (s *sessionTest) put(token string, n models.Session, data string, lasts time.Duration) {
	s.t.Helper()
	if err := s.db.Sessions().Save(s.t.Context(), token, n, []byte(data), s.now.Add(lasts)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sessionTest) check(token, want string) {
	s.t.Helper()
	data, found, err := s.db.Sessions().Find(s.t.Context(), token)
	if err != nil || found != (want != "") || string(data) != want {
		s.t.Errorf("%s: got %q, %v, %v, want %q", token, data, found, err, want)
	}
}

func (s *sessionTest) ids(user agent.UserID) []string {
	s.t.Helper()
	list, err := s.db.Sessions().List(s.t.Context(), user)
	if err != nil {
		s.t.Fatal(err)
	}
	var ids []string
	for _, n := range list {
		ids = append(ids, n.ID)
	}
	return ids
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := newSessionTest(t)
	s.put("short", models.Session{ID: "s_1"}, "a", time.Minute)
	s.put("long", models.Session{ID: "s_2"}, "b", time.Hour)
	s.put("long", models.Session{ID: "s_2"}, "b\x00\xff", time.Hour)
	s.check("short", "a")
	s.check("long", "b\x00\xff")
	s.check("none", "")
	s.now = s.now.Add(time.Minute)
	s.check("short", "")
	if n, err := s.db.Sessions().Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("swept %d, %v, want 1", n, err)
	}
	s.check("long", "b\x00\xff")
	for range 2 {
		if err := s.db.Sessions().Delete(t.Context(), "long"); err != nil {
			t.Error(err)
		}
	}
	s.check("long", "")
}

func TestSessions_List(t *testing.T) {
	t.Parallel()
	s := newSessionTest(t)
	first := models.Session{ID: "s_1", User: "u_1", Browser: "Firefox on Linux", CreatedAt: s.now.Add(-time.Hour), UsedAt: s.now}
	s.put("a", first, "a", time.Hour)
	s.put("b", models.Session{ID: "s_2", User: "u_1", CreatedAt: s.now, UsedAt: s.now.Add(time.Second)}, "b", time.Hour)
	s.put("c", models.Session{ID: "s_3", User: "u_2"}, "c", time.Hour)
	s.put("d", models.Session{ID: "s_4", User: "u_1", UsedAt: s.now}, "d", 0)
	if got := s.ids("u_1"); !slices.Equal(got, []string{"s_2", "s_1"}) {
		t.Errorf("got %v", got)
	}
	list, err := s.db.Sessions().List(t.Context(), "u_1")
	if diff := cmp.Diff(first, list[1]); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSessions_End(t *testing.T) {
	t.Parallel()
	s := newSessionTest(t)
	for token, user := range map[string]agent.UserID{"1": "u_1", "2": "u_1", "3": "u_1", "4": "u_2"} {
		s.put(token, models.Session{ID: "s_" + token, User: user}, token, time.Hour)
	}
	for id, want := range map[string]error{"s_4": models.ErrNotFound, "s_none": models.ErrNotFound, "s_1": nil} {
		if err := s.db.Sessions().End(t.Context(), "u_1", id); !errors.Is(err, want) {
			t.Errorf("end %s: got %v, want %v", id, err, want)
		}
	}
	s.check("1", "")
	s.check("4", "4")
	ended, err := s.db.Sessions().EndAll(t.Context(), "u_1", "s_2")
	if err != nil || !slices.Equal(ended, []string{"s_3"}) {
		t.Errorf("ended %v, %v, want s_3", ended, err)
	}
	s.check("2", "2")
	ended, err = s.db.Sessions().EndAll(t.Context(), "u_2", "")
	if err != nil || !slices.Equal(ended, []string{"s_4"}) || len(s.ids("u_2")) != 0 {
		t.Errorf("ended %v, %v, want s_4", ended, err)
	}
}

// The last use of a session counts as its person's, also after its end.
func TestSessions_Seen(t *testing.T) {
	t.Parallel()
	s := newSessionTest(t)
	u, err := s.db.Users().Create(t.Context(), ada)
	if err != nil || !u.SeenAt.IsZero() {
		t.Fatalf("seen at %v, %v", u.SeenAt, err)
	}
	s.put("a", models.Session{ID: "s_1", User: u.ID, UsedAt: s.now}, "a", time.Hour)
	s.put("b", models.Session{ID: "s_2", User: u.ID, UsedAt: s.now.Add(-time.Minute)}, "b", time.Hour)
	if _, err := s.db.Sessions().EndAll(t.Context(), u.ID, ""); err != nil {
		t.Fatal(err)
	}
	if u, err = s.db.Users().Get(t.Context(), u.ID); err != nil || !u.SeenAt.Equal(s.now) {
		t.Errorf("seen at %v, %v, want %v", u.SeenAt, err, s.now)
	}
}

func TestSessions_EndedContext(t *testing.T) {
	t.Parallel()
	s := newSessionTest(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.db.Sessions().Save(ctx, "a", models.Session{ID: "s_1"}, []byte("a"), s.now.Add(time.Hour)); !errors.Is(err, context.Canceled) {
		t.Errorf("save: got %v", err)
	}
	if _, err := s.db.Sessions().List(ctx, "u_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("list: got %v", err)
	}
}
