package agent

import (
	"context"
	"errors"
	"time"
)

// watchPoll is the longest time between two looks at the clock and at the
// runs: a wall clock that was set, or a machine that slept, is noticed by then.
const watchPoll = 30 * time.Second

// watch closes the cards that nobody decided in time, also those that lapsed
// while the server was down, and takes care of runs that lost their worker.
func (e *Engine) watch() {
	for e.ctx.Err() == nil {
		timer := time.NewTimer(e.expireDue())
		select {
		case <-timer.C:
			if err := e.adopt(e.ctx); err != nil && e.ctx.Err() == nil {
				e.log.Error("look for runs without a worker", "error", err)
			}
		case <-e.due:
		case <-e.ctx.Done():
		}
		timer.Stop()
	}
}

// expireDue closes the cards whose time is over and returns when to look
// again.
func (e *Engine) expireDue() time.Duration {
	due, next, err := e.index.Expiring(e.ctx, e.now())
	if err != nil && e.ctx.Err() == nil {
		e.log.Error("look for expired cards", "error", err)
	}
	for _, r := range due {
		if err := e.expire(e.ctx, r); err != nil && !errors.Is(err, ErrNotWaiting) && e.ctx.Err() == nil {
			e.log.Error("expire a card", "conversation", r.Conversation, "run", r.Run, "error", err)
		}
	}
	if next.IsZero() {
		return watchPoll
	}
	return min(watchPoll, max(next.Sub(e.now()), time.Millisecond))
}

func (e *Engine) watchDue() {
	select {
	case e.due <- struct{}{}:
	default:
	}
}

// expire denies what is undecided on a card whose time is over, and closes a
// question. The run goes on and tells the model (contract 2.9).
func (e *Engine) expire(ctx context.Context, r RunRef) error {
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if q := s.Question; q != nil && !e.now().Before(q.ExpiresAt) {
			return []Event{InteractionClosed{Interaction: q.Interaction, How: ClosedExpired}, RunResumed{Reason: string(ClosedExpired)}}, nil
		}
		if s.Approval == nil || e.now().Before(s.Approval.ExpiresAt) {
			return nil, nil
		}
		var verdicts []CallDecision
		for _, b := range s.undecided() {
			verdicts = append(verdicts, CallDecision{Call: b.Call, Binding: b.Binding, Verdict: VerdictDeny, Reason: "timed out"})
		}
		return s.decide(verdicts, func(_ int, d *ApprovalDecision) { d.Origin = OriginApplicationPolicy }, ClosedExpired)
	})
	return err
}
