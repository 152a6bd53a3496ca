package agent

import (
	"context"
	"errors"
	"time"
)

// expiryPoll is the longest time between two looks at the clock: a wall clock
// that was set, or a machine that slept, is noticed by then.
const expiryPoll = 30 * time.Second

// watchExpiry closes the cards that nobody decided in time, also those that
// lapsed while the server was down.
func (e *Engine) watchExpiry() {
	for {
		wait := expiryPoll
		due, next, err := e.index.Expiring(e.ctx, e.now())
		if err != nil && e.ctx.Err() == nil {
			e.log.Error("look for expired cards", "error", err)
		}
		for _, r := range due {
			if err := e.expire(e.ctx, r); err != nil && !errors.Is(err, ErrNotWaiting) && e.ctx.Err() == nil {
				e.log.Error("expire a card", "conversation", r.Conversation, "run", r.Run, "error", err)
			}
		}
		if !next.IsZero() {
			wait = min(wait, max(next.Sub(e.now()), time.Millisecond))
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-e.due:
		case <-e.ctx.Done():
		}
		timer.Stop()
		if e.ctx.Err() != nil {
			return
		}
	}
}

func (e *Engine) watchDue() {
	select {
	case e.due <- struct{}{}:
	default:
	}
}

// expire denies what is undecided on a card whose time is over. The run goes
// on and tells the model (contract 2.9).
func (e *Engine) expire(ctx context.Context, r RunRef) error {
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if s.Approval == nil || e.now().Before(s.Approval.ExpiresAt) {
			return nil, nil
		}
		var verdicts []CallDecision
		for _, b := range s.undecided() {
			verdicts = append(verdicts, CallDecision{Call: b.Call, Binding: b.Binding, Verdict: VerdictDeny, Reason: "timed out"})
		}
		return s.decide(verdicts, func(d *ApprovalDecision) { d.Origin = OriginApplicationPolicy }, ClosedExpired)
	})
	return err
}
