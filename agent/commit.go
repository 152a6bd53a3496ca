package agent

import (
	"context"
	"errors"
	"slices"
	"time"
)

// commit decides on events from the head and appends them; when the
// conversation has moved on meanwhile, it decides again. A decision without
// events appends nothing.
//
// What was appended is made known, and whatever work it calls for is begun:
// a pending run gets a worker, a card gets its expiry watched.
func (e *Engine) commit(ctx context.Context, id ConversationID, decide func(Head) ([]Entry, error), outputs ...Output) ([]Record, error) {
	for {
		head, err := e.journal.Head(ctx, id)
		if err != nil {
			return nil, err
		}
		entries, err := decide(head)
		if err != nil || len(entries) == 0 {
			return nil, err
		}
		records, err := e.append(ctx, head.Owner, Batch{Conversation: id, After: head.Seq, Entries: entries, Outputs: outputs})
		if errors.Is(err, ErrConflict) {
			continue
		}
		return records, err
	}
}

// append writes a batch for the owner of the conversation and makes it known.
func (e *Engine) append(ctx context.Context, owner UserID, b Batch) ([]Record, error) {
	b.At = e.now().UTC().Truncate(time.Millisecond)
	records, err := e.journal.Append(ctx, b)
	if err != nil {
		return nil, err
	}
	e.hub.committed(b.Conversation, records[len(records)-1].Seq)
	if slices.ContainsFunc(records, func(r Record) bool { return listed(r.Event) }) {
		e.hub.moved(owner)
	}
	for _, r := range records {
		switch r.Event.(type) {
		case RunCreated, RunResumed:
			e.wake(RunRef{b.Conversation, r.Run})
		case ApprovalRequested, QuestionAsked:
			e.watchDue()
		}
	}
	return records, nil
}

// state folds a run of the conversation, or returns ErrNotFound.
func (e *Engine) state(ctx context.Context, r RunRef) (*RunState, error) {
	s := &RunState{}
	for rec, err := range e.journal.ReadRun(ctx, r.Conversation, r.Run) {
		if err != nil {
			return nil, err
		}
		s.Apply(rec)
	}
	if s.Status == StatusNone {
		return nil, ErrNotFound
	}
	return s, nil
}

// decideRun is commit for events of one run: decide sees the run as it stands
// at the head.
func (e *Engine) decideRun(ctx context.Context, r RunRef, decide func(Head, *RunState) ([]Event, error)) ([]Record, error) {
	return e.commit(ctx, r.Conversation, func(h Head) ([]Entry, error) {
		s, err := e.state(ctx, r)
		if err != nil {
			return nil, err
		}
		events, err := decide(h, s)
		if err != nil {
			return nil, err
		}
		return runEntries(r.Run, events), nil
	})
}

func runEntries(run RunID, events []Event) []Entry {
	entries := make([]Entry, len(events))
	for i, ev := range events {
		entries[i] = Entry{Run: run, Event: ev}
	}
	return entries
}

// startNext returns the entries that turn the oldest queued message into a
// run, for the append that ends the run before it.
func startNext(id ConversationID, h Head) []Entry {
	if len(h.Queue) == 0 {
		return nil
	}
	q := h.Queue[0]
	return startRun(id, h, UserMessage{Message: q.Message, Text: q.Text, Author: q.Author, Attachments: q.Attachments}, q.Output)
}

// startRun returns the entries that start the run of a message.
func startRun(id ConversationID, h Head, m UserMessage, output OutputOptions) []Entry {
	run := RunFor(id, m.Message)
	return runEntries(run, []Event{
		m,
		RunCreated{Message: m.Message, AgentName: h.AgentName, Model: h.Model, Output: output},
	})
}
