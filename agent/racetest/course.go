package racetest

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
	"countersign/providers/scripted"
)

// A course is the store and the engine of a race. Rounds run on it side by
// side.
type course struct {
	t      *testing.T
	race   race
	script *scripted.Script
	store  journaltest.Store
	engine *agent.Engine

	mu     sync.Mutex
	saves  map[agent.ConversationID]int // how often the tool save ran
	barred map[agent.UserID]bool
	rules  agent.Policy
}

func newCourse(t *testing.T, race race, store journaltest.Store) *course {
	t.Helper()
	script, err := scripted.Parse(race.script)
	if err != nil {
		t.Fatal(err)
	}
	c := &course{t: t, race: race, script: script, store: store, saves: map[agent.ConversationID]int{}, barred: map[agent.UserID]bool{}}
	c.engine = agent.NewEngine(agent.Config{
		Journal: store, Index: store, Catalog: c, People: c, Rulebook: c, Tools: []agent.Tool{save{c}, ask{}}, Bounds: agent.Bounds{PerPerson: 2 * lanes},
	})
	if err := c.engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *course) stop() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	if err := c.engine.Shutdown(ctx); err != nil {
		c.t.Fatal(err)
	}
	if runs, err := c.store.Unfinished(c.t.Context()); err != nil || len(runs) > 0 {
		c.t.Errorf("runs that are not over: %v, %v", runs, err)
	}
}

func (r *round) saved() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.saves[r.run.Conversation]
}

// Stream implements [providers.Provider]. The script is played anew for every
// request.
func (c *course) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return scripted.NewProvider(scripted.NewStage(c.script)).Stream(ctx, req)
}

// Agent implements [agent.Catalog].
func (c *course) Agent(_ context.Context, id agent.AgentID) (agent.Agent, error) {
	a := agent.Agent{ID: id, Tools: []string{"save", "ask"}, Limits: c.race.limits, Safety: stopping}
	if id == reviewed {
		a.Reviewer = agent.ModelRef{Provider: "r", Model: "judge"}
	}
	return a, nil
}

// Connect implements [agent.Catalog].
func (c *course) Connect(context.Context, agent.ModelRef) (agent.Connection, error) {
	return agent.Connection{Provider: c}, nil
}

// Barred implements [agent.People].
func (c *course) Barred(_ context.Context, id agent.UserID) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.barred[id], nil
}

// Role implements [agent.People]. Ann is an admin; everybody else has a role of
// their own.
func (c *course) Role(_ context.Context, id agent.UserID) (agent.Role, error) {
	if id == ann.User {
		return agent.RoleAdmin, nil
	}
	return agent.Role(id), nil
}

// Policy implements [agent.Rulebook].
func (c *course) Policy(context.Context) (agent.Policy, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.rules), nil
}

// save is a tool that matters.
type save struct{ *course }

func (save) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{Name: "save", Title: "Save", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (s save) Call(_ context.Context, in agent.Invocation) (agent.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saves[in.Conversation]++
	return agent.Result{Text: "Saved."}, nil
}

// ask is a tool that asks where to go.
type ask struct{}

var _ agent.Asker = ask{}

func (ask) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{Name: "ask", Title: "Ask", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (ask) Questions(json.RawMessage) ([]agent.Question, error) {
	return []agent.Question{{
		Header: "Branch", Question: "Which branch?", Options: []agent.Option{{Label: "District 1"}, {Label: "District 3"}},
	}}, nil
}

func (ask) Call(context.Context, agent.Invocation) (agent.Result, error) {
	return agent.Result{}, errors.New("an answer was expected, not a run")
}
