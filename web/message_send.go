package web

import (
	"errors"
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// readMessage reads a message from its form. Line ends become line feeds:
// browsers send CRLF whatever was typed.
func readMessage(r *http.Request, author models.User) (agent.SendMessage, error) {
	if err := readForm(r); err != nil {
		return agent.SendMessage{}, err
	}
	return agent.SendMessage{
		Message: agent.MessageID(r.PostFormValue("message_id")),
		Text:    lineFeeds(r.PostFormValue("text")),
		Author:  actorOf(author),
		Output: agent.OutputOptions{
			Reasoning: r.PostFormValue("reasoning") != "", BufferAttempts: r.PostFormValue("buffer_attempts") != "",
		},
	}, nil
}

// sendMessage adds a message to a conversation.
func (s *Server) sendMessage(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	m, err := readMessage(r, v.user)
	if err != nil {
		return err
	}
	if err = s.takeFiles(r, &m); err == nil {
		_, err = s.config.Engine.Send(r.Context(), id, m)
	}
	var refused *agent.InputError
	if errors.As(err, &refused) && !inBackground(r) {
		return s.reshowMessage(w, r, v, id, m, refused)
	}
	if err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}

// reshowMessage shows the conversation again with what was typed.
func (s *Server) reshowMessage(w http.ResponseWriter, r *http.Request, v visit, id agent.ConversationID, m agent.SendMessage, refused *agent.InputError) error {
	part, err := s.window(r.Context(), id, 0)
	if err != nil {
		return err
	}
	props, err := s.conversationProps(r, v, id, part)
	if err != nil {
		return err
	}
	props.Message, props.Text, props.Error, props.Output, props.Files = newMessageID(), m.Text, refused.Message, m.Output, m.Attachments
	return s.render(w, r, http.StatusUnprocessableEntity, views.Conversation(props))
}

// sendQueued starts the run of the oldest message that waits, where a stopped
// run left it behind.
func (s *Server) sendQueued(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	if err := s.config.Engine.SendQueued(r.Context(), id); err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}

// editQueued changes a message that waits, or takes it back.
func (s *Server) editQueued(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	m, err := readMessage(r, v.user)
	if err != nil {
		return err
	}
	m.Message = agent.MessageID(r.PathValue("message"))
	if r.PostFormValue("do") == "remove" {
		err = s.config.Engine.RemoveQueued(r.Context(), id, m.Message)
	} else {
		err = s.config.Engine.EditQueued(r.Context(), id, m)
	}
	if errors.Is(err, agent.ErrNotFound) {
		err = &agent.InputError{Message: "This message does not wait any more: its run has begun, or it was removed."}
	}
	if err != nil {
		return err
	}
	return s.done(w, r, views.ConversationURL(id))
}
