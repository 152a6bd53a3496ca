package agent

import (
	"context"
	"errors"
	"fmt"
)

// People knows who may use the server. Its methods are safe for use by
// multiple goroutines.
type People interface {
	// Barred reports whether a person may not have anything run: they are
	// disabled, or not there.
	Barred(ctx context.Context, id UserID) (bool, error)
	// Role returns what kind of person somebody is, who is there.
	Role(ctx context.Context, id UserID) (Role, error)
}

// mayRun refuses what would start a run or go on with one: nothing runs in the
// name of somebody who is disabled ([ErrBarred]), and nobody answers where the
// agent was removed ([InputError]).
//
// It is what a caller is told. What holds, whatever happens between a check
// and an append, is that a worker asks again when it takes a run.
func (e *Engine) mayRun(ctx context.Context, person UserID, id AgentID) error {
	if err := e.permit(ctx, person); err != nil {
		return err
	}
	if _, err := e.catalog.Agent(ctx, id); errors.Is(err, ErrNotFound) {
		return &InputError{Message: "The agent of this conversation was removed, so nobody would answer. Start a fresh conversation from here."}
	} else if err != nil {
		return fmt.Errorf("load agent %s: %w", id, err)
	}
	return nil
}

// permit returns [ErrBarred] for a person who may not have anything run.
func (e *Engine) permit(ctx context.Context, person UserID) error {
	if e.people == nil {
		return nil
	}
	barred, err := e.people.Barred(ctx, person)
	if err != nil {
		return fmt.Errorf("ask for person %s: %w", person, err)
	}
	if barred {
		return ErrBarred
	}
	return nil
}

// stopBarred ends a run whose owner is disabled. Whoever disables a person
// does so first and then stops the runs that there are: one that comes into
// being later finds its owner disabled here. Messages that wait stay, as with
// any stop.
func (w *worker) stopBarred(ctx context.Context) error {
	return w.append(ctx, func(Head) []Event {
		return append(w.state.abandon(), RunFinished{Status: StatusCancelled})
	})
}
