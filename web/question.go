package web

import (
	"net/http"
	"strconv"

	"countersign/agent"
	"countersign/views"
)

// answerQuestion records a person's answers to the questions of a call.
func (s *Server) answerQuestion(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, func(v visit, run agent.RunRef) error {
		question := agent.InteractionID(r.PathValue("interaction"))
		asked, err := s.config.Engine.Asked(r.Context(), run, question)
		if err != nil {
			return err
		}
		answers := make([]agent.Answer, len(asked))
		if r.PostFormValue("do") != "skip" {
			for i, q := range asked {
				if answers[i], err = readAnswer(r, i, q); err != nil {
					return err
				}
			}
		}
		return s.config.Engine.Answer(r.Context(), run, question, actorOf(v.user), answers)
	})
}

// readAnswer reads the answer to one question. Options come by their place,
// because a label may hold what a form would change.
func readAnswer(r *http.Request, n int, q agent.Question) (agent.Answer, error) {
	a := agent.Answer{Text: lineFeeds(r.PostFormValue(views.AnswerWordsField(n)))}
	for _, value := range r.PostForm[views.AnswerField(n)] {
		if value == "" {
			continue
		}
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(q.Options) {
			return a, &agent.InputError{Message: "Choose from the options that are offered."}
		}
		a.Selected = append(a.Selected, q.Options[i].Label)
	}
	return a, nil
}

// revokeGrant ends a standing permission of the conversation.
func (s *Server) revokeGrant(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	if err := s.config.Engine.Revoke(r.Context(), id, agent.GrantID(r.PathValue("grant")), actorOf(v.user)); err != nil {
		return err
	}
	if r.PostFormValue("back") == "account" {
		return s.redirect(w, r, views.AccountURL, "Revoked. Its next call asks.")
	}
	return s.done(w, r, views.ConversationURL(id))
}
