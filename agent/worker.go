package agent

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	defaultModelCalls = 10
	// maxReclaims is how often a run may be lost without getting anywhere.
	maxReclaims = 3
)

// A worker takes one run from where the journal has it to where it is over or
// waits for a person. It decides from the state alone, so it makes no
// difference whether the state came from this process or an earlier one.
type worker struct {
	*Engine
	ref   RunRef
	state *RunState
	epoch int
	agent Agent
	conn  Connection
	// owner has the conversation; role and policy are as they were last read.
	owner  UserID
	role   Role
	policy Policy
}

func (w *worker) work(ctx context.Context) error {
	if err := w.claim(ctx); err != nil {
		return err
	}
	for {
		if w.state.Status == StatusRunning && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var err error
		switch w.state.phase() {
		case phaseOver:
			return nil
		case phaseInterrupt:
			left := w.state.leave()
			err = w.append(ctx, func(Head) []Event { return left })
		case phaseStop:
			err = w.finish(ctx, RunFinished{Status: StatusFailed, Failure: &Failure{Code: string(w.state.Stop)}})
		case phaseModel:
			err = w.stepModel(ctx)
		case phaseTools:
			err = w.stepTools(ctx)
		case phaseFinish:
			err = w.finish(ctx, answered(w.state.Answer))
		}
		if err != nil {
			return err
		}
	}
}

// claim takes the run: from here on an earlier worker's appends are refused.
func (w *worker) claim(ctx context.Context) error {
	var err error
	if w.state, err = w.Engine.state(ctx, w.ref); err != nil {
		return err
	}
	if s := w.state.Status; s != StatusPending && s != StatusRunning {
		return errFenced
	}
	w.epoch = w.state.Epoch
	err = w.append(ctx, func(Head) []Event {
		return []Event{RunStarted{Epoch: w.epoch + 1, Boot: w.boot, Reclaimed: w.state.cutOff()}}
	})
	if err != nil {
		return err
	}
	w.epoch = w.state.Epoch
	if w.state.Reclaims >= maxReclaims {
		return w.finish(ctx, RunFinished{Status: StatusFailed, Failure: &Failure{Code: FailReclaimed}})
	}
	head, err := w.journal.Head(ctx, w.ref.Conversation)
	if err != nil {
		return err
	}
	w.owner = head.Owner
	if err := w.permit(ctx, head.Owner); errors.Is(err, ErrBarred) {
		return w.stopBarred(ctx)
	} else if err != nil {
		return err
	}
	w.agent, err = w.catalog.Agent(ctx, head.Agent)
	if errors.Is(err, ErrNotFound) {
		return w.finish(ctx, RunFinished{Status: StatusFailed, Failure: &Failure{Code: FailNoAgent}})
	}
	if err != nil {
		return fmt.Errorf("load agent %s: %w", head.Agent, err)
	}
	if w.agent.Limits.ModelCalls <= 0 {
		w.agent.Limits.ModelCalls = defaultModelCalls
	}
	if w.agent.Limits.Approval <= 0 {
		w.agent.Limits.Approval = DefaultApproval
	}
	if w.agent.Limits.Question <= 0 {
		w.agent.Limits.Question = DefaultQuestion
	}
	if w.agent.Limits.Review <= 0 {
		w.agent.Limits.Review = DefaultReview
	}
	return nil
}

// append adds events to the run, unless it is not this worker's any more. A
// cancelled context does not hold it back: what has happened is recorded.
func (w *worker) append(ctx context.Context, decide func(Head) []Event, outputs ...Output) error {
	return w.appendEntries(ctx, func(h Head) []Entry { return runEntries(w.ref.Run, decide(h)) }, outputs...)
}

func (w *worker) appendEntries(ctx context.Context, decide func(Head) []Entry, outputs ...Output) error {
	ctx = context.WithoutCancel(ctx)
	records, err := w.commit(ctx, w.ref.Conversation, func(h Head) ([]Entry, error) {
		if h.Run == nil || h.Run.ID != w.ref.Run || h.Run.Epoch != w.epoch || h.Run.Status != w.state.Status {
			return nil, errFenced
		}
		return decide(h), nil
	}, outputs...)
	for _, r := range records {
		w.state.Apply(r)
	}
	return err
}

// finish ends the run and starts the one of the next message that waits.
func (w *worker) finish(ctx context.Context, end RunFinished, before ...Event) error {
	return w.appendEntries(ctx, func(h Head) []Entry { return w.finishEntries(h, end, before...) })
}

func (w *worker) finishEntries(h Head, end RunFinished, before ...Event) []Entry {
	events := before
	if end.Status != StatusSucceeded {
		events = append(events, w.state.abandon()...)
	}
	return append(runEntries(w.ref.Run, append(events, end)), startNext(w.ref.Conversation, h)...)
}

// fail ends a run that met a fault of ours, if it is still this worker's.
func (w *worker) fail(ctx context.Context, f Failure) {
	if w.state == nil || w.state.Status != StatusRunning {
		return
	}
	err := w.finish(ctx, RunFinished{Status: StatusFailed, Failure: &f})
	if err != nil && !errors.Is(err, errFenced) {
		w.log.Error("record a failed run", "conversation", w.ref.Conversation, "run", w.ref.Run, "error", err)
	}
}

// pause waits, or returns the cause of the context's end.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
