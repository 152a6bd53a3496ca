package agenttest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
)

var (
	// errKilled is what a killed engine gets from its journal.
	errKilled = errors.New("the engine was killed")
	errFull   = errors.New("the disk is full")
)

// A store is the journal that engines come and go on. It checks every append:
// no engine may make a move that is not legal.
type store struct {
	t      testing.TB
	memory *journaltest.Memory

	mu      sync.Mutex
	full    bool          // the disk is
	changed chan struct{} // closed at the next append
	states  map[agent.RunRef]*agent.RunState
}

func newStore(t testing.TB, m *journaltest.Memory) *store {
	return &store{t: t, memory: m, changed: make(chan struct{}), states: map[agent.RunRef]*agent.RunState{}}
}

// next returns a channel that is closed at the next append.
func (s *store) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *store) setFull(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
}

func (s *store) append(ctx context.Context, b agent.Batch) ([]agent.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return nil, errFull
	}
	records, err := s.memory.Append(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		s.check(r)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return records, nil
}

func (s *store) check(r agent.Record) {
	if r.Run == "" {
		return
	}
	ref := agent.RunRef{Conversation: r.Conversation, Run: r.Run}
	state := s.states[ref]
	if state == nil {
		state = &agent.RunState{}
		for old := range s.memory.ReadRun(context.Background(), ref.Conversation, ref.Run) {
			if old.Seq < r.Seq {
				state.Apply(old)
			}
		}
		s.states[ref] = state
	}
	if !agent.Legal(state.Status, r.Event.Kind()) {
		s.t.Errorf("record %d: %s is not legal for a run that is %q", r.Seq, r.Event.Kind(), state.Status)
	}
	state.Apply(r)
}

// A link is one engine's way to the journal. It can be cut, as a killed
// process is cut off.
type link struct {
	*store
	mu            sync.Mutex
	dead          bool
	before, after agent.Kind // where it is to be cut
}

var _ journaltest.Store = (*link)(nil)

func (l *link) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
}

// killAt has the link cut at the next append of a kind.
func (l *link) killAt(before, after agent.Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before, l.after = before, after
}

func (l *link) killed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dead
}

func (l *link) Append(ctx context.Context, b agent.Batch) ([]agent.Record, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	has := func(k agent.Kind) bool {
		return slices.ContainsFunc(b.Entries, func(e agent.Entry) bool { return e.Event.Kind() == k })
	}
	if l.dead = l.dead || has(l.before); l.dead {
		return nil, errKilled
	}
	records, err := l.store.append(ctx, b)
	if l.dead = err == nil && has(l.after); l.dead {
		return nil, errKilled
	}
	return records, err
}

func (l *link) Head(ctx context.Context, id agent.ConversationID) (agent.Head, error) {
	if l.killed() {
		return agent.Head{}, errKilled
	}
	return l.memory.Head(ctx, id)
}

func (l *link) Read(ctx context.Context, id agent.ConversationID, after agent.Seq) iter.Seq2[agent.Record, error] {
	return l.alive(l.memory.Read(ctx, id, after))
}

func (l *link) ReadRun(ctx context.Context, id agent.ConversationID, run agent.RunID) iter.Seq2[agent.Record, error] {
	return l.alive(l.memory.ReadRun(ctx, id, run))
}

func (l *link) alive(records iter.Seq2[agent.Record, error]) iter.Seq2[agent.Record, error] {
	if l.killed() {
		return func(yield func(agent.Record, error) bool) { yield(agent.Record{}, errKilled) }
	}
	return records
}

func (l *link) Replays(ctx context.Context, id agent.ConversationID) (map[agent.AttemptID]providers.Replay, error) {
	if l.killed() {
		return nil, errKilled
	}
	return l.memory.Replays(ctx, id)
}

func (l *link) Unfinished(ctx context.Context) ([]agent.RunRef, error) {
	if l.killed() {
		return nil, errKilled
	}
	return l.memory.Unfinished(ctx)
}

func (l *link) Expiring(ctx context.Context, by time.Time) ([]agent.RunRef, time.Time, error) {
	if l.killed() {
		return nil, time.Time{}, errKilled
	}
	return l.memory.Expiring(ctx, by)
}
