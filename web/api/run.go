package api

import (
	"context"
	"encoding/json"
	"time"

	"countersign/agent"
)

// A run is a run as far as its records are folded in.
type run struct {
	agent.RunState
	ref               agent.RunRef
	created, finished time.Time
	// queued is the message that will start the run, nil once it has begun;
	// removed says that the message was taken back.
	queued  *agent.QueuedMessage
	removed bool
	// committed are the messages of its attempts.
	committed map[agent.AttemptID]agent.AssistantMessage
}

// Apply folds a record of the run in.
func (r *run) Apply(rec agent.Record) {
	if rec.Seq <= r.Seq {
		return
	}
	switch e := rec.Event.(type) {
	case agent.UserMessage:
		r.created, r.queued = rec.At, nil
	case agent.AssistantMessage:
		if r.committed == nil {
			r.committed = make(map[agent.AttemptID]agent.AssistantMessage)
		}
		r.committed[e.Attempt] = e
	case agent.RunFinished:
		r.finished = rec.At
	}
	r.RunState.Apply(rec)
}

// fold reads a run to where it stands now.
func (s *Server) fold(ctx context.Context, ref agent.RunRef) (*run, error) {
	r := &run{ref: ref}
	for rec, err := range s.journal.ReadRun(ctx, ref.Conversation, ref.Run) {
		if err != nil {
			return nil, err
		}
		r.Apply(rec)
	}
	if r.Status == agent.StatusNone {
		return nil, agent.ErrNotFound
	}
	return r, nil
}

// state is where the run stands.
func (r *run) state() agent.RunStatus {
	switch {
	case r.removed:
		return agent.StatusCancelled
	case r.queued != nil:
		return agent.StatusPending
	}
	return r.Status
}

// messages are what was said in the run: the person's message and, if it
// succeeded, the answer.
func (r *run) messages() []Message {
	if r.Status == agent.StatusNone {
		return nil
	}
	list := []Message{{
		ID: string(r.Message.Message), Role: "user", RunID: r.ref.Run, Text: r.Message.Text,
		Citations: []Citation{}, Attachments: attachmentsOf(r.Message.Attachments), CreatedAt: Time(r.created),
	}}
	if res := r.result(); res != nil {
		list = append(list, Message{
			ID: string(r.Finished.Answer), Role: "assistant", RunID: r.ref.Run, Text: res.FinalOutput,
			Refusal: res.Refusal, Citations: res.Citations, Attachments: []Attachment{}, CreatedAt: Time(r.finished),
		})
	}
	return list
}

// result is nil unless the run succeeded.
func (r *run) result() *Result {
	if r.Status != agent.StatusSucceeded {
		return nil
	}
	said := r.committed[r.Finished.Answer]
	return &Result{FinalOutput: said.Text, Refusal: orNull(said.Refusal), StopReason: orNull(r.Finished.StopReason), Citations: []Citation{}}
}

// failure is nil unless the run failed or was cancelled.
func (r *run) failure() *Failure {
	switch {
	case r.state() == agent.StatusCancelled:
		return &Failure{Code: codeCancelled, Message: failureWords[codeCancelled]}
	case r.Status != agent.StatusFailed:
		return nil
	}
	f := FailureOf(*r.Finished)
	return &f
}

// FailureOf says why a run that did not succeed ended.
func FailureOf(end agent.RunFinished) Failure {
	switch f := end.Failure; {
	case end.Status == agent.StatusCancelled:
		return Failure{Code: codeCancelled, Message: failureWords[codeCancelled]}
	case f == nil:
		return Failure{Code: agent.FailInternal, Message: failureWords[agent.FailInternal]}
	default:
		return Failure{Code: f.Code, Message: wordsOf(f.Code), ProviderError: f.Provider}
	}
}

const codeCancelled = "cancelled"

// failureWords are what is said of a run that did not succeed. No word of it
// comes from a provider (trap 39).
var failureWords = map[string]string{
	codeCancelled:       "The run was cancelled.",
	agent.FailProvider:  "The model could not be reached, or did not answer as it should. provider_error says more.",
	agent.FailTurnLimit: "The run made all the model calls that it may, and no summary came.",
	agent.FailReclaimed: "The server stopped too often while the run was under way.",
	agent.FailNoAgent:   "The agent was removed.",
	agent.FailFull:      "The disk of the server was full.",
	agent.FailBlocked:   "Guardrails withheld every response of the model.",
	agent.FailGuardrail: "A guardrail gave no verdict, so the response of the model was withheld.",
	agent.FailLoop:      "The model asked for the same call with the same arguments too often.",
	agent.FailInternal:  "The run failed through a fault of the server. Its log says more.",
}

func wordsOf(code string) string {
	if words := failureWords[code]; words != "" {
		return words
	}
	return "The run failed."
}

// object is the run as it is answered with.
func (r *run) object() Run {
	out := Run{
		ID: r.ref.Run, ConversationID: r.ref.Conversation, MessageID: r.Message.Message, State: r.state(), Queued: r.queued != nil && !r.removed,
		CreatedAt: Time(r.created), FinishedAt: timeOrNull(r.finished),
		Interruptions: []Interruption{}, Result: r.result(), Error: r.failure(),
	}
	if r.queued != nil {
		out.MessageID, out.CreatedAt = r.queued.Message, Time(r.queued.At)
	}
	if a := r.approval(); a != nil {
		out.Interruptions = append(out.Interruptions, Interruption{Kind: agent.KindApproval, Approval: a})
	}
	if q := r.question(); q != nil {
		out.Interruptions = append(out.Interruptions, Interruption{Kind: agent.KindQuestion, Question: q})
	}
	if c := r.reconcile(); c != nil {
		out.Interruptions = append(out.Interruptions, Interruption{Kind: agent.KindReconcile, Reconcile: c})
	}
	if s := r.safety(); s != nil {
		out.Interruptions = append(out.Interruptions, Interruption{Kind: agent.KindSafety, Safety: s})
	}
	return out
}

// approval is the open card with its undecided calls, nil if there is none.
func (r *run) approval() *Approval {
	if r.Approval == nil {
		return nil
	}
	a := &Approval{RunID: r.ref.Run, ExpiresAt: Time(r.Approval.ExpiresAt), Calls: []CallToSign{}}
	for _, b := range r.Approval.Calls {
		if c := r.Call(b.Call); c != nil && c.Decision == nil {
			a.Calls = append(a.Calls, callToSign(c.ToolCallRequested))
		}
	}
	return a
}

func callToSign(c agent.ToolCallRequested) CallToSign {
	return CallToSign{CallID: c.Call, ServerName: orNull(c.Connector), Name: c.Shown(), Title: c.Title, Arguments: argumentsOf(c.Arguments)}
}

// argumentsOf is the model's own JSON: no number, key or order in it changes.
func argumentsOf(raw string) json.RawMessage {
	switch {
	case raw == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(raw)):
		return json.RawMessage(raw)
	}
	return encode(raw)
}

// question is the open question, nil if there is none.
func (r *run) question() *Questions {
	q := r.Question
	if q == nil {
		return nil
	}
	return &Questions{RunID: r.ref.Run, CallID: q.Call, ExpiresAt: Time(q.ExpiresAt), Questions: q.Questions}
}

// reconcile is the open question about an outcome, nil if there is none.
func (r *run) reconcile() *Reconcile {
	if r.Reconcile == nil {
		return nil
	}
	c := r.Call(r.Reconcile.Call)
	if c == nil {
		return nil
	}
	return &Reconcile{RunID: r.ref.Run, Call: callToSign(c.ToolCallRequested)}
}

// safety is the open question whether the run goes on, nil if there is none.
func (r *run) safety() *Safety {
	asked := r.Safety
	if asked == nil {
		return nil
	}
	s := &Safety{RunID: r.ref.Run, Cause: asked.Cause, Times: asked.Times}
	if asked.Withheld != nil {
		s.Guardrail = &asked.Withheld.Guardrail
	}
	if c := r.Call(asked.Call); c != nil {
		call := callToSign(c.ToolCallRequested)
		s.Call = &call
	}
	return s
}
