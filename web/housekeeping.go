package web

import (
	"context"
	"errors"
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// renameConversation gives a conversation another title.
func (s *Server) renameConversation(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	if err := s.config.Engine.Rename(r.Context(), id, r.PostFormValue("title")); err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}

// archiveConversation takes a conversation out of the lists, or back into
// them.
func (s *Server) archiveConversation(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	if err := s.config.Engine.Archive(r.Context(), id, r.PostFormValue("archived") == "true"); err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}

// confirmDeletion says what deleting a conversation takes away.
func (s *Server) confirmDeletion(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	head, err := s.journal.Head(r.Context(), id)
	if err != nil {
		return err
	}
	extent, err := s.config.DB.Conversations().Extent(r.Context(), id)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Delete a conversation", views.SectionConversation)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Deletion(views.DeletionProps{
		Page: page, ID: id, Title: head.Title, Messages: extent.Messages, Notes: extent.Notes, Busy: head.Busy(),
	}))
}

// deleteConversation ends whatever a conversation does and deletes it. Its
// pages are told that it is gone.
func (s *Server) deleteConversation(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := s.erase(r.Context(), id, actorOf(v.user)); err != nil {
		return err
	}
	return s.redirect(w, r, views.HomeURL, "The conversation was deleted.")
}

// erase ends whatever a conversation of the actor's does and deletes it. What
// shows or follows it is cut off.
func (s *Server) erase(ctx context.Context, id agent.ConversationID, by agent.Actor) error {
	if err := s.stopAndDelete(ctx, id, by); err != nil {
		return err
	}
	s.sockets.closeConversation(id)
	s.programs.ConversationDeleted(id)
	s.log.InfoContext(ctx, "conversation deleted",
		"request", requestOf(ctx).id, "conversation", string(id), "user", string(by.User), "key", string(by.Key))
	return nil
}

// stopAndDelete deletes a conversation once no run is under way, and stops
// those that begin meanwhile.
func (s *Server) stopAndDelete(ctx context.Context, id agent.ConversationID, by agent.Actor) error {
	for {
		head, err := s.journal.Head(ctx, id)
		if err != nil {
			return err
		}
		if head.Busy() {
			run := agent.RunRef{Conversation: id, Run: head.Run.ID}
			if err := s.config.Engine.Cancel(ctx, run, by); err != nil {
				return err
			}
		}
		err = s.config.DB.Conversations().Delete(ctx, id, by.User)
		if !errors.Is(err, agent.ErrConflict) {
			return err
		}
	}
}
