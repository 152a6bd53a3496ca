package models_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

func TestRules(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Rules()
	want := agent.PolicyRule{
		Name: "Big orders", Do: agent.PolicyDeny, Hard: true, Agent: "g_1", Role: agent.RoleEndUser, Connector: "Shop", Tool: "mcp__Shop__*",
		Match: []agent.ArgumentMatch{{Path: "$.sku", Pattern: "A-*"}},
	}
	got, err := s.Save(t.Context(), want)
	if err != nil || got.ID == "" {
		t.Fatalf("id %q, %v", got.ID, err)
	}
	want.ID = got.ID
	check := func() {
		t.Helper()
		stored, err := s.Get(t.Context(), want.ID)
		if diff := cmp.Diff(want, stored); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
		policy, err := s.Policy(t.Context())
		if diff := cmp.Diff(agent.Policy{want}, policy); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
	}
	check()
	want.Name, want.Do, want.Hard, want.Match = "All orders", agent.PolicyAsk, false, nil
	if _, err := s.Save(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	check()
	var invalid models.Invalid
	if _, err := s.Save(t.Context(), agent.PolicyRule{Name: " All orders ", Do: agent.PolicyAllow}); !errors.As(err, &invalid) || invalid["name"] == "" {
		t.Errorf("a taken name: %v", err)
	}
	if _, err := s.Save(t.Context(), agent.PolicyRule{Name: "x", Do: "maybe"}); !errors.As(err, &invalid) || invalid["do"] == "" {
		t.Errorf("an odd verb: %v", err)
	}
	gone := want
	gone.ID, gone.Name = "y_none", "Another"
	if _, err := s.Save(t.Context(), gone); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("one that is gone: %v", err)
	}
	check()
	if err := s.Remove(t.Context(), want.ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(t.Context(), want.ID); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if policy, err := s.Policy(t.Context()); len(policy) > 0 || err != nil {
		t.Errorf("left are %v, %v", policy, err)
	}
}

func TestRules_AreBounded(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	var setup models.Setup
	for i := range agent.MaxRules {
		setup.Rules = append(setup.Rules, models.RuleSetup{Name: fmt.Sprint(i), Change: func(r *agent.PolicyRule) { r.Do = agent.PolicyAsk }})
	}
	if _, err := db.Apply(t.Context(), setup); err != nil {
		t.Fatal(err)
	}
	var invalid models.Invalid
	if _, err := db.Rules().Save(t.Context(), agent.PolicyRule{Name: "one more", Do: agent.PolicyAsk}); !errors.As(err, &invalid) || invalid["name"] == "" {
		t.Errorf("one more: %v", err)
	}
}

func TestUsers_RoleOf(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	u, err := db.Users().Create(t.Context(), models.NewUser{Email: "a@example.com", Name: "A", Role: models.RoleAdmin, Password: models.NewSecret("a long password")})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: u.ID, Name: "K", Scopes: []models.Scope{models.ScopeAdmin}})
	if err != nil {
		t.Fatal(err)
	}
	end, _, _, err := db.EndUsers().Mint(t.Context(), key.ID, models.EndUser{Host: u.ID, Agent: "g_1", External: "x", Name: "X"})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[agent.UserID]agent.Role{u.ID: agent.RoleAdmin, end.ID: agent.RoleEndUser} {
		if got, err := db.Users().Role(t.Context(), id); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", id, got, err, want)
		}
	}
	if _, err := db.Users().Role(t.Context(), "u_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("nobody: %v", err)
	}
}
