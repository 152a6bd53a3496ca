package web

import (
	"context"
	"errors"
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// decideApproval records a person's verdict on calls of a card: one, or all
// that its form names.
func (s *Server) decideApproval(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, func(v visit, run agent.RunRef) error {
		card := agent.InteractionID(r.PathValue("interaction"))
		verdicts, err := verdictsOf(r)
		if err != nil {
			return err
		}
		err = s.config.Engine.Decide(r.Context(), run, card, actorOf(v.user), verdicts)
		if errors.Is(err, agent.ErrNotWaiting) {
			return s.decidedFirst(r.Context(), run, card, verdicts, v)
		}
		return err
	})
}

// verdictsOf reads the same verdict on each call that a form names with what
// was shown of it.
func verdictsOf(r *http.Request) ([]agent.CallDecision, error) {
	verdict, arguments := agent.Verdict(r.PostFormValue("decision")), ""
	grant, edit := verdict == "conversation", verdict == "edit"
	if grant || edit {
		verdict = agent.VerdictAllow
	}
	if edit {
		if arguments = lineFeeds(r.PostFormValue("arguments")); arguments == "" {
			return nil, &agent.InputError{Message: "Write the arguments as a JSON object; {} stands for none."}
		}
	}
	calls, bindings := r.PostForm["call"], r.PostForm["binding"]
	if len(calls) == 0 || len(calls) != len(bindings) {
		return nil, errBadForm
	}
	list := make([]agent.CallDecision, len(calls))
	for i := range calls {
		list[i] = agent.CallDecision{
			Call: agent.CallID(calls[i]), Binding: bindings[i], Verdict: verdict, Grant: grant,
			Reason: lineFeeds(r.PostFormValue("reason")), Arguments: arguments,
		}
	}
	return list, nil
}

// A lateError is [agent.ErrNotWaiting] with the words of who or what came
// first.
type lateError struct{ text string }

func (e *lateError) Error() string { return "a decision came too late" }

func (e *lateError) Unwrap() error { return agent.ErrNotWaiting }

// decidedFirst finds out why a decision came too late.
func (s *Server) decidedFirst(ctx context.Context, run agent.RunRef, card agent.InteractionID, verdicts []agent.CallDecision, v visit) error {
	var t agent.Timeline
	for rec, err := range s.journal.ReadRun(ctx, run.Conversation, run.Run) {
		if err != nil {
			return err
		}
		t.Apply(rec)
	}
	shown := t.Run(run.Run)
	if shown == nil {
		return agent.ErrNotWaiting
	}
	item, ok := shown.Item(string(card)).(*agent.ApprovalItem)
	if !ok {
		return agent.ErrNotWaiting
	}
	calls := make([]agent.CallID, len(verdicts))
	for i, d := range verdicts {
		calls[i] = d.Call
	}
	late := !s.config.Now().Before(item.ExpiresAt)
	if text := views.DecidedFirst(item, calls, actorOf(v.user).User, late); text != "" {
		return &lateError{text}
	}
	return agent.ErrNotWaiting
}
