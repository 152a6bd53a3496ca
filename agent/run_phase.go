package agent

import "countersign/providers"

// phase says what a worker has to do next.
type phase string

const (
	phaseOver      phase = "over"      // nothing: the run is over or waits
	phaseInterrupt phase = "interrupt" // an attempt or a review was left behind
	phaseStop      phase = "stop"      // a person does not let it go on
	phaseModel     phase = "model"
	phaseTools     phase = "tools"
	phaseFinish    phase = "finish" // the newest message is the answer
)

func (s *RunState) phase() phase {
	switch {
	case s.Status != StatusRunning:
		return phaseOver
	case s.Attempt != nil || s.Reviewing != nil:
		return phaseInterrupt
	case s.Stop != "":
		return phaseStop
	case len(s.OpenCalls()) > 0:
		return phaseTools
	case s.Answer != nil && len(s.Calls) == 0 && s.Answer.Finish != providers.FinishPause:
		return phaseFinish
	}
	return phaseModel
}

// leave returns the events that end an attempt or a review of which nobody knows
// how far it came, or what it cost.
func (s *RunState) leave() []Event {
	var events []Event
	if s.Attempt != nil {
		events = append(events,
			ModelAttemptFinished{Attempt: s.Attempt.Attempt, Outcome: AttemptInterrupted},
			ModelUsage{Attempt: s.Attempt.Attempt, Model: s.Model})
	}
	if s.Reviewing != nil {
		events = append(events, ModelUsage{Attempt: s.Reviewing.Attempt, Model: s.Reviewing.Reviewer})
	}
	return events
}

// abandon returns the events that leave nothing of the run open, for a run
// that ends early. No interaction and no call stays without an end.
func (s *RunState) abandon() []Event {
	events := s.leave()
	if s.Approval != nil {
		events = append(events, InteractionClosed{Interaction: s.Approval.Interaction, How: ClosedWithdrawn})
	}
	if s.Question != nil {
		events = append(events, InteractionClosed{Interaction: s.Question.Interaction, How: ClosedWithdrawn})
	}
	if s.Reconcile != nil {
		events = append(events, InteractionClosed{Interaction: s.Reconcile.Interaction, How: ClosedWithdrawn})
	}
	if s.Safety != nil {
		events = append(events, InteractionClosed{Interaction: s.Safety.Interaction, How: ClosedWithdrawn})
	}
	for _, c := range s.OpenCalls() {
		f, ok := c.known()
		switch {
		case ok:
		case c.Started:
			f.Outcome, f.Result = CallUnknown, resultUnknown
		default:
			f.Outcome, f.Result = CallNotStarted, resultNotStarted
		}
		events = append(events, f)
	}
	return events
}
