package web

import (
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// confirmBypass says what switching approvals off means.
func (s *Server) confirmBypass(w http.ResponseWriter, r *http.Request) error {
	id := agent.ConversationID(r.PathValue("conversation"))
	head, err := s.ownHead(r, id)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Switch approvals off", views.SectionConversation)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Bypass(views.BypassProps{
		Page: page, ID: id, Title: head.Title, Now: head.Bypass, Waits: head.Run != nil && head.Run.Status == agent.StatusWaitingApproval,
	}))
}

// startBypass switches approvals off in a conversation.
func (s *Server) startBypass(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := s.config.Engine.StartBypass(r.Context(), id, actorOf(v.user)); err != nil {
		return err
	}
	s.log.WarnContext(r.Context(), "approvals switched off", "request", requestOf(r.Context()).id, "conversation", string(id), "user", string(v.user.ID))
	return s.redirect(w, r, views.ConversationURL(id), "")
}

// endBypass switches them on again.
func (s *Server) endBypass(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := s.config.Engine.EndBypass(r.Context(), id, actorOf(v.user)); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "approvals switched on", "request", requestOf(r.Context()).id, "conversation", string(id), "user", string(v.user.ID))
	return s.done(w, r, views.ConversationURL(id))
}
