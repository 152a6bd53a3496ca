// Package journaltest holds the reference journal and the suite that every
// journal must pass. Only tests import it.
package journaltest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"countersign/agent"
	"countersign/providers"
)

var _ Store = (*Memory)(nil)

// A Memory is a journal and its index in memory. It keeps events in their
// stored form, so whoever reads one has decoded it. It never blocks but for a
// mutex, and may be used in a testing/synctest bubble.
type Memory struct {
	mu            sync.Mutex
	conversations map[agent.ConversationID]*conversation
}

type conversation struct {
	rows    []row // row i has sequence number i+1
	appends []agent.Seq
	outputs []output
	head    agent.Head
}

type row struct {
	run  agent.RunID
	at   time.Time
	kind agent.Kind
	data []byte
}

type output struct {
	seq agent.Seq // of the last record of its append
	agent.Output
}

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return &Memory{conversations: map[agent.ConversationID]*conversation{}}
}

// Append implements [agent.Journal].
func (m *Memory) Append(ctx context.Context, b agent.Batch) ([]agent.Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rows, err := encode(b)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.conversations[b.Conversation]
	if c == nil {
		c = &conversation{}
	}
	if c.head.Seq != b.After {
		return nil, agent.ErrConflict
	}
	for i, r := range rows {
		switch created, first := r.kind == (agent.ConversationCreated{}).Kind(), b.After == 0 && i == 0; {
		case first && !created:
			return nil, agent.ErrNotFound
		case created && !first:
			return nil, errors.New("the conversation exists")
		}
	}
	records := make([]agent.Record, len(rows))
	for i, r := range rows {
		if records[i], err = r.record(b.Conversation, b.After+agent.Seq(i)+1); err != nil {
			return nil, err
		}
	}
	for _, r := range records {
		c.head.Apply(r)
	}
	c.rows = append(c.rows, rows...)
	c.appends = append(c.appends, c.head.Seq)
	for _, o := range b.Outputs {
		c.outputs = append(c.outputs, output{c.head.Seq, copyOutput(o)})
	}
	m.conversations[b.Conversation] = c
	return records, nil
}

func encode(b agent.Batch) ([]row, error) {
	if len(b.Entries) == 0 {
		return nil, errors.New("the batch has no entries")
	}
	rows := make([]row, len(b.Entries))
	for i, e := range b.Entries {
		data, err := agent.EncodeEvent(e.Event)
		if err != nil {
			return nil, err
		}
		rows[i] = row{e.Run, b.At.UTC().Round(0), e.Event.Kind(), bytes.Clone(data)}
	}
	return rows, nil
}

func (r row) record(id agent.ConversationID, seq agent.Seq) (agent.Record, error) {
	e, err := agent.DecodeEvent(r.kind, bytes.Clone(r.data))
	if err != nil {
		return agent.Record{}, fmt.Errorf("record %d: %w", seq, err)
	}
	return agent.Record{Conversation: id, Seq: seq, Run: r.run, At: r.at, Event: e}, nil
}

func copyOutput(o agent.Output) agent.Output {
	o.Segments = slices.Clone(o.Segments)
	if o.Replay != nil {
		o.Replay = &providers.Replay{Binding: o.Replay.Binding, State: bytes.Clone(o.Replay.State)}
	}
	return o
}

// Head implements [agent.Journal].
func (m *Memory) Head(ctx context.Context, id agent.ConversationID) (agent.Head, error) {
	if err := ctx.Err(); err != nil {
		return agent.Head{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.conversations[id]
	if c == nil {
		return agent.Head{}, agent.ErrNotFound
	}
	return c.head, nil
}

// Read implements [agent.Journal].
func (m *Memory) Read(ctx context.Context, id agent.ConversationID, after agent.Seq) iter.Seq2[agent.Record, error] {
	return m.read(ctx, id, after, func(row) bool { return true })
}

// ReadRun implements [agent.Journal].
func (m *Memory) ReadRun(ctx context.Context, id agent.ConversationID, run agent.RunID) iter.Seq2[agent.Record, error] {
	return m.read(ctx, id, 0, func(r row) bool { return r.run == run })
}

func (m *Memory) read(ctx context.Context, id agent.ConversationID, after agent.Seq, want func(row) bool) iter.Seq2[agent.Record, error] {
	return func(yield func(agent.Record, error) bool) {
		for i, r := range m.rows(id) {
			if agent.Seq(i) < after || !want(r) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(agent.Record{}, err)
				return
			}
			rec, err := r.record(id, agent.Seq(i+1))
			if !yield(rec, err) || err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(agent.Record{}, err)
		}
	}
}

// rows returns the rows of now: later appends do not change them.
func (m *Memory) rows(id agent.ConversationID) []row {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := m.conversations[id]; c != nil {
		return c.rows
	}
	return nil
}

// Replays implements [agent.Journal].
func (m *Memory) Replays(ctx context.Context, id agent.ConversationID) (map[agent.AttemptID]providers.Replay, error) {
	forgotten, err := m.rewinds(ctx, id)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	replays := map[agent.AttemptID]providers.Replay{}
	c := m.conversations[id]
	if c == nil {
		return replays, nil
	}
	for _, o := range c.outputs {
		if o.Replay != nil && !o.Withdrawn && !forgotten(o.seq) {
			replays[o.Attempt] = *copyOutput(o.Output).Replay
		}
	}
	return replays, nil
}

// rewinds returns whether a place was rewound.
func (m *Memory) rewinds(ctx context.Context, id agent.ConversationID) (func(agent.Seq) bool, error) {
	var list []agent.Record
	for r, err := range m.Read(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		if _, ok := r.Event.(agent.Rewound); ok {
			list = append(list, r)
		}
	}
	return func(seq agent.Seq) bool {
		return slices.ContainsFunc(list, func(r agent.Record) bool {
			return r.Event.(agent.Rewound).To < seq && seq < r.Seq
		})
	}, nil
}

// Unfinished implements [agent.Index].
func (m *Memory) Unfinished(ctx context.Context) ([]agent.RunRef, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	type aged struct {
		ref agent.RunRef
		at  time.Time
	}
	var list []aged
	for id, c := range m.conversations {
		if r := c.head.Run; r != nil && (r.Status == agent.StatusPending || r.Status == agent.StatusRunning) {
			list = append(list, aged{agent.RunRef{Conversation: id, Run: r.ID}, c.rows[r.FirstSeq-1].at})
		}
	}
	slices.SortFunc(list, func(a, b aged) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.ref.Run, b.ref.Run))
	})
	refs := make([]agent.RunRef, len(list))
	for i, a := range list {
		refs[i] = a.ref
	}
	return refs, nil
}

// Expiring implements [agent.Index].
func (m *Memory) Expiring(ctx context.Context, by time.Time) (due []agent.RunRef, next time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, c := range m.conversations {
		if c.head.Run == nil || c.head.Run.Status.Terminal() {
			continue
		}
		ref := agent.RunRef{Conversation: id, Run: c.head.Run.ID}
		for _, i := range c.head.Run.Open {
			switch {
			case i.ExpiresAt.IsZero():
			case i.ExpiresAt.After(by):
				if next.IsZero() || i.ExpiresAt.Before(next) {
					next = i.ExpiresAt
				}
			case !slices.Contains(due, ref):
				due = append(due, ref)
			}
		}
	}
	slices.SortFunc(due, func(a, b agent.RunRef) int { return cmp.Compare(a.Run, b.Run) })
	return due, next, nil
}
