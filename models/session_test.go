package models_test

import (
	"testing"
	"time"

	"countersign/models"
	"countersign/models/modelstest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	s := db.Sessions()
	check := func(token, want string) {
		t.Helper()
		data, found, err := s.FindCtx(t.Context(), token)
		if err != nil || found != (want != "") || string(data) != want {
			t.Errorf("%s: got %q, %v, %v, want %q", token, data, found, err, want)
		}
	}
	put := func(token, data string, lasts time.Duration) {
		t.Helper()
		if err := s.CommitCtx(t.Context(), token, []byte(data), now.Add(lasts)); err != nil {
			t.Fatal(err)
		}
	}
	put("short", "a", time.Minute)
	put("long", "b", time.Hour)
	put("long", "b\x00\xff", time.Hour)
	check("short", "a")
	check("long", "b\x00\xff")
	check("none", "")
	now = now.Add(time.Minute)
	check("short", "")
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("swept %d, %v, want 1", n, err)
	}
	check("long", "b\x00\xff")
	for range 2 {
		if err := s.DeleteCtx(t.Context(), "long"); err != nil {
			t.Error(err)
		}
	}
	check("long", "")
	if err := s.Commit("plain", []byte("c"), now.Add(1)); err != nil {
		t.Error(err)
	}
	if data, found, err := s.Find("plain"); string(data) != "c" || !found || err != nil {
		t.Errorf("got %q, %v, %v", data, found, err)
	}
	if err := s.Delete("plain"); err != nil {
		t.Error(err)
	}
	check("plain", "")
}
