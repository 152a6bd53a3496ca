package agent

import "slices"

// A RunState is the projection that decides what a run does next. It is folded
// from the records of one run.
type RunState struct {
	ID       RunID
	FirstSeq Seq // of its user message
	Seq      Seq // of the newest record folded in
	Status   RunStatus
	Epoch    int
	Message  UserMessage
	Model    ModelRef
	Output   OutputOptions

	// Reclaims counts how often a worker was cut off since the run last got
	// anywhere.
	Reclaims int

	// Step counts the model calls that have begun, Done those that committed a
	// message, Failed the failed tries of the newest one and Withheld those whose
	// output was kept back.
	Step, Done, Failed, Withheld int
	// Attempt is the try under way, nil when there is none. A worker that
	// finds one from before its time marks it interrupted.
	Attempt *ModelAttemptStarted
	// Reviewing is the review under way, nil when there is none. It is left
	// behind like an attempt.
	Reviewing *ReviewStarted
	// Retry is the try that was announced, Cause what made it needed.
	Retry *RetryScheduled
	Cause *ProviderError

	// Answer is the newest committed message, Calls what it asks for, Earlier
	// what the messages before it asked for.
	Answer         *AssistantMessage
	Calls, Earlier []*RunCall

	Approval  *ApprovalRequested  // the open card
	Question  *QuestionAsked      // the open question
	Reconcile *ReconcileRequested // the open question about an outcome
	Answered  []ReconcileAnswered // the closed ones
	Safety    *SafetyRequested    // the open question whether it goes on
	// SafetyAnswered are the closed ones. Excused is what a person let go on; Stop
	// is why one did not.
	SafetyAnswered []SafetyAnswered
	Excused        Excused
	Stop           SafetyCause
	Finished       *RunFinished
}

// Excused is what no longer counts against a run.
type Excused struct {
	Withheld int // candidates of the newest model call
	Calls    int // the first ones of the run
}

// A RunCall is where a call stands.
type RunCall struct {
	ToolCallRequested                   // with the arguments that run
	Sent              string            // the model's own, where a person changed them
	Decision          *ApprovalDecision // the last verdict that settles it
	Review            *ApprovalDecision // the reviewer's verdict, where it was unsure
	Rule              string            // the policy rule that put it on a card, "" for none
	Expired           bool              // nobody decided or answered in time
	Started           bool
	Asked             *QuestionAsked // for a call that is a question
	Answered          *QuestionAnswered
	Reconcile         *ReconcileAnswered
	Finished          *ToolCallFinished
}

// Grantable reports whether a grant may come with a verdict on the call.
func (c *RunCall) Grantable() bool { return c.Rule == "" && c.ToolCallRequested.Grantable() }

// FoldRun folds the records of one run.
func FoldRun(records []Record) *RunState {
	s := &RunState{}
	for _, r := range records {
		s.Apply(r)
	}
	return s
}

// Apply folds a record in. Records of other runs and records that were seen
// change nothing.
func (s *RunState) Apply(r Record) {
	if r.Seq <= s.Seq || r.Run == "" || (s.ID != "" && r.Run != s.ID) {
		return
	}
	s.ID, s.Seq, s.Status = r.Run, r.Seq, s.Status.next(r.Event)
	switch e := r.Event.(type) {
	case UserMessage:
		s.Message, s.FirstSeq = e, r.Seq
	case RunCreated:
		s.Model, s.Output = e.Model, e.Output
	case RunStarted:
		s.Epoch = e.Epoch
		if e.Reclaimed {
			s.Reclaims++
		}
	case RunFinished:
		s.Finished = &e
	case ModelAttemptStarted:
		if e.Step > s.Step {
			s.Step, s.Failed = e.Step, 0
		}
		s.Attempt, s.Retry = &e, nil
	case ModelAttemptFinished:
		s.Attempt = nil
		switch e.Outcome {
		case AttemptCompleted:
			s.Reclaims = 0
		case AttemptFailed:
			s.Failed++
		case AttemptWithheld:
			s.Withheld++
			s.Reclaims = 0
		}
	case ReviewStarted:
		s.Reviewing = &e
	case ModelUsage:
		if s.Reviewing != nil && s.Reviewing.Attempt == e.Attempt {
			s.Reviewing = nil
		}
	case ProviderError:
		s.Cause = &e
	case RetryScheduled:
		s.Retry = &e
	case AssistantMessage:
		s.Answer, s.Done = &e, s.Step
		s.Withheld, s.Excused.Withheld = 0, 0
		s.Calls, s.Earlier = nil, append(s.Earlier, s.Calls...)
	default:
		s.applyCall(r.Event)
	}
}

func (s *RunState) applyCall(e Event) {
	switch e := e.(type) {
	case ToolCallRequested:
		s.Calls = append(s.Calls, &RunCall{ToolCallRequested: e})
	case ToolCallStarted:
		if c := s.Call(e.Call); c != nil {
			c.Started, c.Reconcile = true, nil
		}
	case ToolCallFinished:
		if c := s.Call(e.Call); c != nil {
			c.Finished, s.Reclaims = &e, 0
		}
	case ApprovalRequested:
		s.Approval = &e
		for _, b := range e.Calls {
			if c := s.Call(b.Call); c != nil {
				c.Rule = b.Rule
			}
		}
	case ApprovalDecision:
		if e.Origin == OriginReviewer {
			s.Reviewing, s.Reclaims = nil, 0
		}
		switch c := s.Call(e.Call); {
		case c == nil || c.Decision != nil:
		case e.Verdict == VerdictUnsure:
			c.Review = &e
		default:
			c.Decision = &e
			if e.Arguments != "" {
				c.Sent, c.Arguments = c.Arguments, e.Arguments
			}
		}
	case QuestionAsked:
		s.Question = &e
		if c := s.Call(e.Call); c != nil {
			c.Asked = &e
		}
	case QuestionAnswered:
		if c := s.Call(e.Call); c != nil {
			c.Answered = &e
		}
	case ReconcileRequested:
		s.Reconcile = &e
	case ReconcileAnswered:
		s.Answered = append(s.Answered, e)
		if c := s.Call(e.Call); c != nil {
			c.Reconcile = &e
		}
	case SafetyRequested:
		s.Safety = &e
	case SafetyAnswered:
		s.answerSafety(e)
	case InteractionClosed:
		s.close(e)
	}
}

func (s *RunState) answerSafety(e SafetyAnswered) {
	s.SafetyAnswered = append(s.SafetyAnswered, e)
	switch {
	case s.Safety == nil:
	case e.Answer == SafetyStop:
		s.Stop = s.Safety.Cause
	case s.Safety.Cause == SafetyLoop:
		s.Excused.Calls = len(s.Earlier) + len(s.Calls)
	default:
		s.Excused.Withheld = s.Withheld
	}
}

func (s *RunState) close(e InteractionClosed) {
	if s.Approval != nil && s.Approval.Interaction == e.Interaction {
		for _, b := range s.Approval.Calls {
			c := s.Call(b.Call)
			if e.How == ClosedExpired && c != nil && c.Decision != nil && c.Decision.Lapsed() {
				c.Expired = true
			}
		}
		s.Approval = nil
	}
	if s.Question != nil && s.Question.Interaction == e.Interaction {
		if c := s.Call(s.Question.Call); c != nil {
			c.Expired = e.How == ClosedExpired
		}
		s.Question = nil
	}
	if s.Reconcile != nil && s.Reconcile.Interaction == e.Interaction {
		s.Reconcile = nil
	}
	if s.Safety != nil && s.Safety.Interaction == e.Interaction {
		s.Safety = nil
	}
}

// next returns the model call to make and its try. A try that was interrupted
// is made again under the same number.
func (s *RunState) next() (step, number int) {
	if s.Step > s.Done {
		return s.Step, s.Failed + s.Withheld + 1
	}
	return s.Step + 1, 1
}

// Call returns a call of the run, or nil.
func (s *RunState) Call(id CallID) *RunCall {
	for _, list := range [][]*RunCall{s.Calls, s.Earlier} {
		for _, c := range list {
			if c.ToolCallRequested.Call == id {
				return c
			}
		}
	}
	return nil
}

// OpenCalls returns the calls of the newest step that have no result yet.
func (s *RunState) OpenCalls() []*RunCall {
	var open []*RunCall
	for _, c := range s.Calls {
		if c.Finished == nil {
			open = append(open, c)
		}
	}
	return open
}

// undecided returns the bound calls of the open card that have no verdict.
func (s *RunState) undecided() []BoundCall {
	var list []BoundCall
	if s.Approval != nil {
		for _, b := range s.Approval.Calls {
			if c := s.Call(b.Call); c != nil && c.Decision == nil {
				list = append(list, b)
			}
		}
	}
	return list
}

// cutOff reports whether something is under way, though no worker is at it.
func (s *RunState) cutOff() bool {
	return s.Status == StatusRunning && (s.Attempt != nil || s.Reviewing != nil || slices.ContainsFunc(s.OpenCalls(), func(c *RunCall) bool { return c.Started }))
}
