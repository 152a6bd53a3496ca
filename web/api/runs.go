package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"countersign/agent"
)

// find folds a run of the caller's person.
func (s *Server) find(c *call) (*run, error) {
	ref, err := s.DB.Conversations().Find(c.Context(), c.run())
	if errors.Is(err, agent.ErrNotFound) {
		return s.findQueued(c)
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.head(c, ref.Conversation); err != nil {
		return nil, asRun(err)
	}
	r, err := s.fold(c.Context(), ref)
	return r, orUnknown(err, errNoRun)
}

// findQueued finds a run that has not begun by the message that will start it.
func (s *Server) findQueued(c *call) (*run, error) {
	id, q, err := s.DB.Conversations().FindQueued(c.Context(), c.owner(), c.run())
	return &run{ref: agent.RunRef{Conversation: id, Run: c.run()}, queued: &q}, orUnknown(err, errNoRun)
}

// asRun names what is not there as a run.
func asRun(err error) error {
	if err == error(errNoConversation) {
		return errNoRun
	}
	return err
}

// readRun answers with a run, at once or when it waits for a person or is over.
func (s *Server) readRun(c *call) (answer, error) {
	seconds, err := number(c.URL.Query().Get("wait"), 0, 0, maxWait)
	if err != nil {
		return answer{}, err
	}
	r, err := s.find(c)
	if err == nil && seconds > 0 {
		r, err = s.settled(c, r, time.Duration(seconds)*time.Second)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(r.object())
}

// maxWait is how long a program may wait for a run, in seconds.
const maxWait = 60

// settled returns a run once it waits for a person or is over, or as it stands
// when there was time enough or it can't be followed.
func (s *Server) settled(c *call, r *run, within time.Duration) (*run, error) {
	ctx, cancel := context.WithTimeout(c.Context(), within)
	defer cancel()
	st := &stream{caller: c.name(), key: c.key.ID, user: c.user.ID, conversation: r.ref.Conversation, cancel: cancel}
	if !s.streams.add(st, s.Limits.Streams, s.Limits.KeyStreams) {
		return r, nil
	}
	defer s.streams.remove(st)
	// The time that a request has to arrive does not bound its answer.
	if err := http.NewResponseController(c.w).SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	sub, _ := s.Engine.Follow(r.ref.Conversation)
	defer sub.Close()
	for seen := agent.Seq(0); ; {
		r, err := s.find(c)
		if err != nil || r.state().Terminal() || r.state().Waiting() {
			return r, err
		}
		for known := seen; seen == known; { // text wakes too
			u, err := sub.Next(ctx)
			if err != nil {
				return r, s.mayStill(c) // that may be why
			}
			seen = u.Seq
		}
	}
}

// again answers with a run as it stands after what was done to it.
func (s *Server) again(c *call, ref agent.RunRef, status int) (answer, error) {
	r, err := s.fold(c.Context(), ref)
	if err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return answer{status: status, body: r.object()}, nil
}

// cancel ends a run. One that is over stays as it is.
func (s *Server) cancel(c *call) (answer, error) {
	if err := c.read(&Nothing{}); err != nil {
		return answer{}, err
	}
	r, err := s.find(c)
	if err != nil {
		return answer{}, err
	}
	if r.Status.Terminal() {
		return ok(r.object())
	}
	if r.queued != nil {
		switch err := s.Engine.RemoveQueued(c.Context(), r.ref.Conversation, r.queued.Message); {
		case err == nil:
			r.removed = true
			return answer{status: http.StatusAccepted, body: r.object()}, nil
		case !errors.Is(err, agent.ErrNotFound): // it has begun meanwhile
			return answer{}, err
		}
	}
	if err := s.Engine.Cancel(c.Context(), r.ref, c.actor()); err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return s.again(c, r.ref, http.StatusAccepted)
}

// The decisions.
const (
	decisionOnce    = "once"
	decisionSession = "session" // and without asking for the rest of the conversation
	decisionDeny    = "deny"
)

// decide records verdicts on calls that wait. The binding of each is that of
// the call with its id: what an id names never changes.
func (s *Server) decide(c *call) (answer, error) {
	var in Decisions
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if len(in.Decisions) == 0 {
		return answer{}, invalid("decisions is empty.")
	}
	r, err := s.find(c)
	if err != nil {
		return answer{}, err
	}
	var card agent.InteractionID
	if r.Approval != nil {
		card = r.Approval.Interaction
	}
	var verdicts []agent.CallDecision
	for _, d := range in.Decisions {
		v := agent.CallDecision{Call: d.CallID, Verdict: agent.VerdictAllow, Reason: d.Reason}
		switch d.Decision {
		case decisionOnce:
		case decisionSession:
			v.Grant = true
		case decisionDeny:
			v.Verdict = agent.VerdictDeny
		default:
			return answer{}, invalid("A decision is once, session or deny.")
		}
		if r.Call(d.CallID) == nil {
			return answer{}, invalid("The run has no call %q.", short(string(d.CallID)))
		}
		var of agent.InteractionID
		of, v.Binding = r.cardOf(d.CallID)
		if card == "" {
			card = of
		}
		verdicts = append(verdicts, v)
	}
	if err := s.Engine.Decide(c.Context(), r.ref, card, c.actor(), verdicts); err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return s.again(c, r.ref, http.StatusOK)
}

// cardOf returns the card of a call and the call's binding, nothing if it was
// never on one.
func (r *run) cardOf(id agent.CallID) (agent.InteractionID, string) {
	if r.Approval != nil {
		for _, b := range r.Approval.Calls {
			if b.Call == id {
				return r.Approval.Interaction, b.Binding
			}
		}
	}
	if d := r.Call(id).Decision; d != nil {
		return d.Interaction, d.Binding
	}
	return "", ""
}

// answer records answers to the questions of a call.
func (s *Server) answer(c *call) (answer, error) {
	var in Answers
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	r, err := s.find(c)
	if err != nil {
		return answer{}, err
	}
	asked := r.askedBy(in.CallID)
	if asked == nil {
		return answer{}, errNotWaiting
	}
	given, err := inOrder(in.Answers, len(asked.Questions))
	if err != nil {
		return answer{}, err
	}
	if err := s.Engine.Answer(c.Context(), r.ref, asked.Interaction, c.actor(), given); err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return s.again(c, r.ref, http.StatusOK)
}

// askedBy returns what a call asked; without a call, the question that waits
// or that was asked last.
func (r *run) askedBy(id agent.CallID) *agent.QuestionAsked {
	if r.Question != nil && (id == "" || id == r.Question.Call) {
		return r.Question
	}
	var newest *agent.QuestionAsked
	for _, list := range [][]*agent.RunCall{r.Earlier, r.Calls} {
		for _, call := range list {
			if call.Asked != nil && (id == "" || id == call.Asked.Call) {
				newest = call.Asked
			}
		}
	}
	return newest
}

// inOrder brings answers into the order of the questions.
func inOrder(list []Answer, questions int) ([]agent.Answer, error) {
	given := make([]agent.Answer, questions)
	answered := make([]bool, questions)
	for i, a := range list {
		if a.Index != nil {
			i = *a.Index
		}
		if i < 0 || i >= questions || answered[i] {
			return nil, invalid("There is one answer to each of the questions 0 to %d.", questions-1)
		}
		answered[i], given[i] = true, agent.Answer{Selected: a.Selected, Text: a.Text}
	}
	return given, nil
}

// reconcile records what became of a call of unknown outcome.
func (s *Server) reconcile(c *call) (answer, error) {
	var in Reconciliation
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	r, err := s.find(c)
	if err != nil {
		return answer{}, err
	}
	said := agent.ReconcileAnswered{Answer: in.Answer, Note: in.Note, By: c.actor()}
	switch n := len(r.Answered); {
	case r.RunState.Reconcile != nil:
		said.Interaction = r.RunState.Reconcile.Interaction
	case n > 0: // it may be the same one again
		said.Interaction = r.Answered[n-1].Interaction
	default:
		return answer{}, errNotWaiting
	}
	if err := s.Engine.Reconcile(c.Context(), r.ref, said); err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return s.again(c, r.ref, http.StatusOK)
}

// release records whether a run goes on that was stopped for safety.
func (s *Server) release(c *call) (answer, error) {
	var in Release
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	r, err := s.find(c)
	if err != nil {
		return answer{}, err
	}
	said := agent.SafetyAnswered{Answer: in.Answer, By: c.actor()}
	switch n := len(r.SafetyAnswered); {
	case r.Safety != nil:
		said.Interaction = r.Safety.Interaction
	case n > 0: // it may be the same one again
		said.Interaction = r.SafetyAnswered[n-1].Interaction
	default:
		return answer{}, errNotWaiting
	}
	if err := s.Engine.AnswerSafety(c.Context(), r.ref, said); err != nil {
		return answer{}, orUnknown(err, errNoRun)
	}
	return s.again(c, r.ref, http.StatusOK)
}
