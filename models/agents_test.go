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
		Safety: agent.Safety{
			MaxRetries: new(int), Ask: true,
			Guardrails: []agent.Guardrail{
				{Name: "No prices", Pattern: &agent.PatternRule{Pattern: "price", Over: []agent.Subject{agent.SubjectAnswer}}},
				{Name: "Dry run", Arguments: &agent.ArgumentRule{Tool: "*", Path: "$.dry", Do: agent.ArgumentRewrite, Value: "true"}},
				{Name: "Desk", Webhook: &agent.Webhook{URL: "https://desk.example", Timeout: time.Second, AllowPrivateNetwork: true}},
			},
		},
	}
}

// Of two changes at once, neither is lost.
func TestAgents_Change(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Agents()
	a, err := s.Save(t.Context(), assistant())
	if err != nil {
		t.Fatal(err)
	}
	other := assistant()
	other.Name = "Clerk"
	if _, err := s.Save(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var changing sync.WaitGroup
	for range 20 {
		changing.Go(func() {
			if err := s.Change(t.Context(), a.ID, func(a *agent.Agent) error {
				*a.Safety.MaxRetries++
				a.Limits.ModelCalls++
				*a.Safety.MaxRetries %= 6
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	changing.Wait()
	if got, err := s.Get(t.Context(), a.ID); err != nil || got.Limits.ModelCalls != 32 || *got.Safety.MaxRetries != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	refused := errors.New("no")
	var invalid models.Invalid
	for name, c := range map[string]struct {
		id     agent.AgentID
		change func(*agent.Agent) error
		is     func(error) bool
	}{
		"one that is gone": {"g_none", func(*agent.Agent) error { return nil }, func(err error) bool { return errors.Is(err, models.ErrNotFound) }},
		"a refusal":        {a.ID, func(*agent.Agent) error { return refused }, func(err error) bool { return errors.Is(err, refused) }},
		"a taken name":     {a.ID, func(a *agent.Agent) error { a.Name = "Clerk"; return nil }, func(err error) bool { return errors.As(err, &invalid) && invalid["name"] != "" }},
		"a wrong guardrail": {
			a.ID, func(a *agent.Agent) error { a.Safety.Guardrails[0].Pattern.Pattern = "("; return nil },
			func(err error) bool { return errors.As(err, &invalid) && invalid["guardrails.0.pattern"] != "" },
		},
	} {
		if err := s.Change(t.Context(), c.id, c.change); !c.is(err) {
			t.Errorf("%s: got %v", name, err)
		}
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
	want.Safety = agent.Safety{}
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
		"max_retries":  func(a *agent.Agent) { *a.Safety.MaxRetries = 6 },
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
