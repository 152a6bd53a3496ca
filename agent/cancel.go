package agent

import "context"

// Cancel ends a run at once, whatever it is doing (contract H30, V10): open
// cards are withdrawn and every open call gets a result in the same append.
// Messages in the queue stay there. Cancelling a run that is over changes
// nothing and is no error.
func (e *Engine) Cancel(ctx context.Context, r RunRef, by Actor) error {
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if s.Status.Terminal() {
			return nil, nil
		}
		return append(s.abandon(), RunFinished{Status: StatusCancelled, By: &by}), nil
	})
	if err == nil {
		e.interrupt(r, ErrStopped)
	}
	return err
}
