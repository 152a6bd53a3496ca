package web

import (
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// stopRun stops a run, whatever it is doing.
func (s *Server) stopRun(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, func(v visit, run agent.RunRef) error {
		return s.config.Engine.Cancel(r.Context(), run, actorOf(v.user))
	})
}

// answerReconcile records what a person knows about a call of unknown outcome.
func (s *Server) answerReconcile(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, func(v visit, run agent.RunRef) error {
		return s.config.Engine.Reconcile(r.Context(), run, agent.ReconcileAnswered{
			Interaction: agent.InteractionID(r.PathValue("interaction")),
			Answer:      agent.ReconcileAnswer(r.PostFormValue("answer")),
			Note:        lineFeeds(r.PostFormValue("note")),
			By:          actorOf(v.user),
		})
	})
}

// answerSafety records whether a run goes on that was stopped for safety.
func (s *Server) answerSafety(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, func(v visit, run agent.RunRef) error {
		return s.config.Engine.AnswerSafety(r.Context(), run, agent.SafetyAnswered{
			Interaction: agent.InteractionID(r.PathValue("interaction")),
			Answer:      agent.SafetyAnswer(r.PostFormValue("answer")),
			By:          actorOf(v.user),
		})
	})
}

// act does something to the run that the form names.
func (s *Server) act(w http.ResponseWriter, r *http.Request, do func(visit, agent.RunRef) error) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	if err := do(v, agent.RunRef{Conversation: id, Run: agent.RunID(r.PostFormValue("run"))}); err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}

// done answers a form whose outcome the page gets by its socket; a browser
// without script is sent back to the page.
func (s *Server) done(w http.ResponseWriter, r *http.Request, address string) error {
	if inBackground(r) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// inBackground reports whether a script sent the form and stays on the page.
func inBackground(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }
