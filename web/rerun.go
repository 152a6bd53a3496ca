package web

import (
	"errors"
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// showRerun is the form that sends the message of a run again: to a page in
// its place there, otherwise as a page. With close it is taken away again.
func (s *Server) showRerun(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if r.URL.Query().Has("close") && inBackground(r) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		return nil
	}
	run := agent.RunID(r.PathValue("run"))
	item, err := s.runWith(r.Context(), id, func(e agent.Event) bool {
		m, ok := e.(agent.UserMessage)
		return ok && agent.RunFor(id, m.Message) == run
	})
	if err != nil {
		return err
	}
	return s.renderRerun(w, r, http.StatusOK, views.RerunProps{Conversation: id, Run: run, Text: item.Message.Text, Files: item.Message.Attachments})
}

func (s *Server) renderRerun(w http.ResponseWriter, r *http.Request, status int, p views.RerunProps) error {
	if inBackground(r) {
		return s.render(w, r, status, views.RerunForm(p))
	}
	head, err := s.journal.Head(r.Context(), p.Conversation)
	if err != nil {
		return err
	}
	p.Title = head.Title
	if p.Page, err = s.page(r, "Send the message again", views.SectionConversation); err != nil {
		return err
	}
	p.Page.Narrow = true
	return s.render(w, r, status, views.Rerun(p))
}

// rerun sends the message of a run again, with the text of the form.
func (s *Server) rerun(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	run, text := agent.RunID(r.PathValue("run")), lineFeeds(r.PostFormValue("text"))
	_, err = s.config.Engine.Rerun(r.Context(), agent.RunRef{Conversation: id, Run: run}, text, actorOf(v.user))
	var refused *agent.InputError
	if errors.As(err, &refused) && !inBackground(r) {
		return s.renderRerun(w, r, http.StatusUnprocessableEntity, views.RerunProps{Conversation: id, Run: run, Text: text, Problem: refused.Message})
	}
	if err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}
