package models_test

import (
	"errors"
	"sync"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

// However many are removed at once, one agent is left.
func TestAgents_OneIsLeft(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Agents()
	var ids []agent.AgentID
	for _, name := range []string{"A", "B", "C"} {
		a := assistant()
		a.Name = name
		saved, err := s.Save(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, saved.ID)
	}
	errs := make([]error, len(ids))
	var removing sync.WaitGroup
	for i, id := range ids {
		removing.Go(func() { errs[i] = s.Remove(t.Context(), id) })
	}
	removing.Wait()
	refused := 0
	for i, err := range errs {
		_, gone := s.Get(t.Context(), ids[i])
		switch {
		case errors.Is(err, models.ErrLastAgent) && gone == nil:
			refused++
		case err == nil && errors.Is(gone, models.ErrNotFound):
		default:
			t.Errorf("remove: %v, then get: %v", err, gone)
		}
	}
	if refused != 1 {
		t.Errorf("%d removals were refused, want 1", refused)
	}
	if err := s.Remove(t.Context(), "g_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("an unknown agent: %v", err)
	}
}

func TestUsers_Barred(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Users()
	u, err := s.Create(t.Context(), models.NewUser{Email: "a@example.com", Name: "A", Role: models.RoleMember, Password: models.NewSecret("a long password")})
	if err != nil {
		t.Fatal(err)
	}
	check := func(id agent.UserID, want bool) {
		t.Helper()
		if got, err := s.Barred(t.Context(), id); err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", id, got, err, want)
		}
	}
	check(u.ID, false)
	check("u_none", true)
	if err := s.SetDisabled(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	check(u.ID, true)
}
