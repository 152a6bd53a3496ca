package agent

import (
	"context"
	"strings"
	"unicode/utf8"
)

// Reconcile records what a person knows about a call that had begun when the
// server stopped. The first answer stands; the same answer by the same person
// again is no error, any other one is [ErrNotWaiting]. A key may not say it of
// a run that it started ([ErrOwnRun]).
func (e *Engine) Reconcile(ctx context.Context, r RunRef, a ReconcileAnswered) error {
	switch a.Answer {
	case ReconcileHappened, ReconcileNotHappened, ReconcileRunAgain:
	default:
		return &InputError{Message: "Choose what became of the call."}
	}
	a.Note = strings.TrimSpace(a.Note)
	if !utf8.ValidString(a.Note) || utf8.RuneCountInString(a.Note) > MaxReason {
		return &InputError{Message: "The note may have up to 512 characters. Shorten it."}
	}
	if err := e.permit(ctx, a.By.User); err != nil {
		return err
	}
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if s.startedBy(a.By) {
			return nil, ErrOwnRun
		}
		open := s.Reconcile
		if open == nil || open.Interaction != a.Interaction {
			for _, had := range s.Answered {
				if had.Interaction == a.Interaction && had.Answer == a.Answer && had.By.is(a.By) {
					return nil, nil
				}
			}
			return nil, ErrNotWaiting
		}
		a.Call = open.Call
		return []Event{a, InteractionClosed{Interaction: a.Interaction, How: ClosedDecided}, RunResumed{Reason: "answered"}}, nil
	})
	return err
}

// Told returns what the model is told for an answer, without the note, or ""
// where it gets the result of another run.
func (a ReconcileAnswer) Told() string {
	switch a {
	case ReconcileHappened:
		return resultHappened
	case ReconcileNotHappened:
		return resultNotDone
	}
	return ""
}

// known returns the result of a call that follows from what a person said, or
// did not say in time.
func (c *RunCall) known() (ToolCallFinished, bool) {
	f := ToolCallFinished{Call: c.ToolCallRequested.Call}
	switch {
	case c.Answered != nil:
		f.Outcome, f.Result = CallOK, c.Asked.told(*c.Answered)
		return f, true
	case c.Asked != nil && c.Expired:
		f.Outcome, f.Result = CallExpired, resultNoAnswer
		return f, true
	case c.Reconcile == nil:
		return f, false
	case c.Reconcile.Answer == ReconcileHappened:
		f.Outcome = CallOK
	case c.Reconcile.Answer == ReconcileNotHappened:
		f.Outcome = CallError
	default:
		return f, false
	}
	f.Result = withReason(c.Reconcile.Answer.Told(), "The person's note", c.Reconcile.Note)
	return f, true
}
