package web

import (
	"errors"
	"net/http"
	"strconv"

	"countersign/agent"
	"countersign/views"
)

// showConversation shows the newest runs of a conversation, or those before
// the record that the query names.
func (s *Server) showConversation(w http.ResponseWriter, r *http.Request) error {
	v, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	var before agent.Seq
	if text := r.URL.Query().Get("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return agent.ErrNotFound
		}
		before = agent.Seq(n)
	}
	part, err := s.window(r.Context(), id, before)
	if err != nil {
		return err
	}
	props, err := s.conversationProps(r, v, id, part)
	if err != nil {
		return err
	}
	props.Past = before != 0
	return s.render(w, r, http.StatusOK, views.Conversation(props))
}

func (s *Server) conversationProps(r *http.Request, v visit, id agent.ConversationID, part window) (views.ConversationProps, error) {
	page, err := s.page(r, part.head.Title, views.SectionConversation)
	if err != nil {
		return views.ConversationProps{}, err
	}
	markCurrent(page.Rows, id)
	_, err = s.config.DB.Agents().Get(r.Context(), part.head.Agent)
	gone := errors.Is(err, agent.ErrNotFound)
	if err != nil && !gone {
		return views.ConversationProps{}, err
	}
	return views.ConversationProps{
		Page: page, Scene: s.scene(v, id),
		Title: part.head.Title, Archived: part.head.Archived, AgentName: part.head.AgentName, AgentGone: gone, Model: part.head.Model,
		Seq: part.timeline.Seq, Runs: part.timeline.Runs, Earlier: part.earlier,
		Queue: part.head.Queue, Grants: part.head.Grants, Bypass: part.head.Bypass, Reviews: part.head.Reviews, Usage: part.head.Usage, Copied: part.timeline.Copied, Message: newMessageID(), Output: outputOf(part.timeline.Runs),
	}, nil
}

// outputOf is the choice of the newest message: the next one starts with the
// same.
func outputOf(runs []*agent.RunItem) agent.OutputOptions {
	if len(runs) == 0 {
		return agent.OutputOptions{}
	}
	return runs[len(runs)-1].Output
}

func newMessageID() agent.MessageID { return agent.MessageID(agent.NewID("m_")) }
