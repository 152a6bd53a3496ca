package models_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

func assistant() agent.Agent {
	return agent.Agent{
		Name: "Assistant", Instructions: "Help.", Model: agent.ModelRef{Provider: "p_1", ProviderName: "Local", Model: "m"},
		Tools: []string{"current_time", "notes_read"}, Reviewer: agent.ModelRef{Provider: "p_2", ProviderName: "Other", Model: "judge"}, Output: agent.OutputOptions{Reasoning: true},
		Limits: agent.Limits{ModelCalls: 12, Approval: 3 * time.Minute, Question: 4 * time.Minute, Review: 20 * time.Second},
	}
}

func TestAgents(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Agents()
	want := assistant()
	got, err := s.Save(t.Context(), want)
	if err != nil || !strings.HasPrefix(string(got.ID), "g_") {
		t.Fatalf("id %q, %v", got.ID, err)
	}
	want.ID = got.ID
	check := func() {
		t.Helper()
		stored, err := s.Get(t.Context(), want.ID)
		if diff := cmp.Diff(want, stored); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
		list, err := s.List(t.Context())
		if diff := cmp.Diff([]agent.Agent{want}, list); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
	}
	check()
	want.Name, want.Tools, want.Reviewer, want.Output, want.Limits = "Clerk", nil, agent.ModelRef{}, agent.OutputOptions{}, agent.Limits{}
	if _, err := s.Save(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	check()
	for name, change := range map[string]func(*agent.Agent){
		"name":         func(a *agent.Agent) { a.Name = "Clerk" },
		"instructions": func(a *agent.Agent) { a.Instructions = strings.Repeat("x", 64<<10+1) },
		"tools":        func(a *agent.Agent) { a.Tools = []string{"no such name!"} },
		"model_calls":  func(a *agent.Agent) { a.Limits.ModelCalls = 51 },
		"approval":     func(a *agent.Agent) { a.Limits.Approval = -1 },
		"question":     func(a *agent.Agent) { a.Limits.Question = -1 },
		"review":       func(a *agent.Agent) { a.Limits.Review = time.Hour },
	} {
		a := assistant()
		change(&a)
		var invalid models.Invalid
		if _, err := s.Save(t.Context(), a); !errors.As(err, &invalid) || len(invalid) != 1 || invalid[name] == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	check()
	if _, err := s.Get(t.Context(), "g_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("get: got %v, want ErrNotFound", err)
	}
	gone := assistant()
	gone.ID = "g_none"
	if _, err := s.Save(t.Context(), gone); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("save: got %v, want ErrNotFound", err)
	}
}

func TestAgents_EnsureDefault(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Agents()
	ids := make([]agent.AgentID, 4)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			a, err := s.EnsureDefault(t.Context(), assistant())
			if err != nil {
				t.Error(err)
			}
			ids[i] = a.ID
		})
	}
	wg.Wait()
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d agents, %v, want 1", len(list), err)
	}
	for _, id := range ids {
		if id != list[0].ID {
			t.Errorf("got %s, want %s", id, list[0].ID)
		}
	}
	renamed := list[0]
	renamed.Name = "Clerk"
	if _, err := s.Save(t.Context(), renamed); err != nil {
		t.Fatal(err)
	}
	if got, err := s.EnsureDefault(t.Context(), assistant()); err != nil || got.Name != "Clerk" {
		t.Errorf("got %q, %v: what people changed is kept", got.Name, err)
	}
}
