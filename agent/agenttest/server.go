package agenttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
)

// Config is what a [Server] is made of.
type Config struct {
	Provider providers.Provider
	Memory   *journaltest.Memory // nil for an empty one
	Tools    []*Tool
	// PerPerson is how many runs a person may have, 0 for the default.
	PerPerson int
	Now       func() time.Time // the engine's clock, nil for the usual one
	// IDs is how many ids of each kind the journal holds already.
	IDs int
	Options
}

// A Server is what an engine needs around it, and the engine, which may be
// stopped, killed and started again. It reports every illegal move as an
// error of the test.
type Server struct {
	Engine *agent.Engine // the one that runs, or the last one
	Memory *journaltest.Memory

	t      testing.TB
	config Config
	store  *store
	link   *link
	up     bool // started, and not stopped since

	mu     sync.Mutex
	counts map[string]int // by prefix, of ids
	rules  agent.Policy
}

// NewServer returns a server whose engine runs. It is killed when the test
// ends.
func NewServer(t testing.TB, c Config) *Server {
	t.Helper()
	if c.Memory == nil {
		c.Memory = journaltest.NewMemory()
	}
	s := &Server{
		t: t, config: c, Memory: c.Memory, store: newStore(t, c.Memory),
		counts: map[string]int{}, rules: slices.Clone(c.Rules),
	}
	t.Cleanup(s.Kill)
	s.Start()
	return s
}

// Start starts another engine on the journal.
func (s *Server) Start() {
	s.t.Helper()
	s.link = &link{store: s.store}
	var tools []agent.Tool
	for _, t := range s.config.Tools {
		tools = append(tools, t.now())
	}
	s.Engine = agent.NewEngine(agent.Config{
		Journal: s.link, Index: s.link, Catalog: s, Tools: tools, Rulebook: s, People: s, Inspector: s, Bounds: agent.Bounds{PerPerson: s.config.PerPerson},
		Now: s.config.Now, NewID: s.newID, Jitter: func() float64 { return 0.5 },
	})
	if err := s.Engine.Start(context.Background()); err != nil {
		s.t.Fatalf("start: %v", err)
	}
	s.up = true
}

// Running reports whether an engine runs that was neither stopped nor killed.
func (s *Server) Running() bool { return s.up && !s.link.killed() }

// Stop shuts the engine down.
func (s *Server) Stop() {
	s.t.Helper()
	s.up = false
	if err := s.Engine.Shutdown(context.Background()); err != nil {
		s.t.Errorf("stop: %v", err)
	}
}

// Kill ends the engine without letting it write another record.
func (s *Server) Kill() {
	s.link.kill()
	s.Stop()
}

// Await waits until the newest run of a conversation has one of the statuses,
// or fails when it takes too long.
func (s *Server) Await(id agent.ConversationID, within time.Duration, statuses ...agent.RunStatus) error {
	enough := time.After(within)
	for {
		changed := s.store.next()
		h, err := s.Memory.Head(context.Background(), id)
		if err != nil {
			return err
		}
		status := agent.StatusNone
		if h.Run != nil {
			status = h.Run.Status
		}
		if slices.Contains(statuses, status) {
			return nil
		}
		select {
		case <-changed:
		case <-enough:
			return fmt.Errorf("the newest run is %q after %s", status, within)
		}
	}
}

// newID counts, so that a reader can follow an id through a scenario.
func (s *Server) newID(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]string{"a_": "attempt", "t_": "call", "i_": "card", "b_": "boot", "n_": "grant"}
	s.counts[prefix]++
	return fmt.Sprintf("%s-%d", names[prefix], s.counts[prefix]+s.config.IDs)
}

// Agent implements [agent.Catalog].
func (s *Server) Agent(context.Context, agent.AgentID) (agent.Agent, error) {
	a := agent.Agent{ID: "agent", Name: "Assistant", Instructions: "Be brief.", Reviewer: s.config.Reviewer, Limits: s.config.Limits}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.Safety = s.config.Safety
	for _, t := range s.config.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	return a, nil
}

// Connect implements [agent.Catalog].
func (s *Server) Connect(context.Context, agent.ModelRef) (agent.Connection, error) {
	c := agent.Connection{Provider: s.config.Provider, Retry: agent.RetryPolicy{MaxRetries: s.config.Retries}}
	if s.config.Signed {
		c.Provider = signing{c.Provider}
	}
	if s.config.Refused != nil {
		return c, s.config.Refused
	}
	return c, nil
}

// Policy implements [agent.Rulebook].
func (s *Server) Policy(context.Context) (agent.Policy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.rules), nil
}

// SetRule has a rule hold from now on, in the place of one of its name.
func (s *Server) SetRule(r agent.PolicyRule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(slices.DeleteFunc(s.rules, func(old agent.PolicyRule) bool { return old.Name == r.Name }), r)
}

// DropRule ends a rule.
func (s *Server) DropRule(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = slices.DeleteFunc(s.rules, func(r agent.PolicyRule) bool { return r.Name == name })
}

// Barred implements [agent.People]: nobody is.
func (s *Server) Barred(context.Context, agent.UserID) (bool, error) { return false, nil }

// Role implements [agent.People]: Ada is an admin, everybody else a member.
func (s *Server) Role(_ context.Context, id agent.UserID) (agent.Role, error) {
	if id == "ada" {
		return agent.RoleAdmin, nil
	}
	return agent.RoleMember, nil
}

// Ran returns how the tools ran, by tool.
func (s *Server) Ran() []Execution {
	var list []Execution
	for _, t := range s.config.Tools {
		list = append(list, t.Ran()...)
	}
	return list
}
