package api

import (
	"net/http"
	"strconv"

	"countersign/agent"
)

// readRuns is how many runs an answer with a conversation has.
const readRuns = 20

// openConversation opens a conversation without a message.
func (s *Server) openConversation(c *call) (answer, error) {
	var in NewConversation
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	if c.end != nil {
		if in.Agent != "" && in.Agent != c.end.Agent || in.Model != nil {
			return answer{}, invalid("The token is for one agent, with its own model.")
		}
		in.Agent = c.end.Agent
	}
	chosen, model, err := s.choose(c.Context(), in)
	if err != nil {
		return answer{}, err
	}
	if wait := s.keys.take(c.name(), s.Now()); wait > 0 {
		return answer{}, errRate(wait)
	}
	id, err := s.Engine.Open(c.Context(), agent.NewConversation{
		Agent: chosen, Model: model, SendMessage: agent.SendMessage{Message: c.message(), Author: c.actor()},
	})
	if err != nil {
		return answer{}, err
	}
	opened, err := s.conversationOf(c, id, 0)
	return answer{status: http.StatusCreated, body: opened}, err
}

// listConversations lists a page of the person's conversations.
func (s *Server) listConversations(c *call) (answer, error) {
	query := c.URL.Query()
	limit, err := number(query.Get("limit"), 50, 1, 100)
	if err != nil {
		return answer{}, err
	}
	list := s.DB.Conversations().List
	switch query.Get("archived") {
	case "", "false":
	case "true":
		list = s.DB.Conversations().Archive
	default:
		return answer{}, invalid("archived is true or false.")
	}
	page, next, err := list(c.Context(), c.owner(), query.Get("cursor"), int(limit))
	if err != nil {
		return answer{}, err
	}
	out := ConversationList{Data: make([]ConversationEntry, len(page)), NextCursor: orNull(next)}
	for i, e := range page {
		out.Data[i] = ConversationEntry{e.ID, e.Title, Time(e.UpdatedAt), e.Archived, nil}
		if e.Status != agent.StatusNone {
			out.Data[i].State = &e.Status
		}
	}
	return ok(out)
}

// number reads a number of a query, which may be missing.
func number(text string, otherwise, least, most int64) (int64, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, invalid("%q is not a number from %d to %d.", short(text), least, most)
	}
	return n, nil
}

// maxSeq is more than any conversation has records, and exact in JavaScript.
const maxSeq = 1<<53 - 1

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// readConversation answers with a conversation and its newest messages, or
// those before a place.
func (s *Server) readConversation(c *call) (answer, error) {
	before, err := number(c.URL.Query().Get("before"), 0, 1, maxSeq)
	if err != nil {
		return answer{}, err
	}
	found, err := s.conversationOf(c, c.conversation(), agent.Seq(before))
	return answer{status: http.StatusOK, body: found}, err
}

// head returns what is true of a conversation of the caller's person.
func (s *Server) head(c *call, id agent.ConversationID) (agent.Head, error) {
	head, err := s.journal.Head(c.Context(), id)
	if err == nil && head.Owner != c.owner() {
		err = agent.ErrNotFound
	}
	return head, orUnknown(err, errNoConversation)
}

func (s *Server) conversationOf(c *call, id agent.ConversationID, before agent.Seq) (Conversation, error) {
	if _, err := s.head(c, id); err != nil {
		return Conversation{}, err
	}
	runs, earlier, err := s.runsOf(c, id, before)
	if err != nil {
		return Conversation{}, err
	}
	head, err := s.head(c, id) // no older than the runs
	if err != nil {
		return Conversation{}, err
	}
	out := Conversation{
		ID: id, Title: head.Title, Agent: Named{string(head.Agent), head.AgentName}, Model: modelOf(head.Model),
		CreatedAt: Time(head.CreatedAt), UpdatedAt: Time(head.UpdatedAt), Archived: head.Archived,
		Messages: []Message{}, Earlier: earlier, Queue: []QueuedMessage{},
	}
	for _, r := range runs {
		out.Messages = append(out.Messages, r.messages()...)
	}
	for _, q := range head.Queue {
		out.Queue = append(out.Queue, QueuedMessage{q.Message, agent.RunFor(id, q.Message), q.Text, attachmentsOf(q.Attachments), Time(q.At)})
	}
	if head.Run == nil {
		return out, nil
	}
	out.Run = &RunState{head.Run.ID, head.Run.Status}
	newest, err := s.fold(c.Context(), agent.RunRef{Conversation: id, Run: head.Run.ID})
	if err != nil {
		return Conversation{}, err
	}
	out.Run.State = newest.Status
	if a := newest.approval(); a != nil {
		out.PendingApproval = &PendingApproval{Approval: *a}
		if newest.Answer != nil {
			out.PendingApproval.Explanation = newest.Answer.Text
		}
	}
	out.PendingQuestion, out.PendingReconcile = newest.question(), newest.reconcile()
	out.PendingSafety = newest.safety()
	return out, nil
}

// runsOf folds the newest runs of a conversation before a place, oldest first.
func (s *Server) runsOf(c *call, id agent.ConversationID, before agent.Seq) (list []*run, earlier *agent.Seq, err error) {
	rows, err := s.DB.Conversations().Runs(c.Context(), id, before, readRuns+1)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	first := rows[min(len(rows), readRuns)-1].FirstSeq
	if len(rows) > readRuns {
		earlier = &first
	}
	kept := make(map[agent.RunID]*run)
	for i := min(len(rows), readRuns) - 1; i >= 0; i-- {
		r := &run{ref: agent.RunRef{Conversation: id, Run: rows[i].ID}}
		kept[rows[i].ID], list = r, append(list, r)
	}
	for r, err := range s.journal.Read(c.Context(), id, first-1) {
		if err != nil {
			return nil, nil, err
		}
		if before > 0 && r.Seq >= before {
			break
		}
		if kept[r.Run] != nil {
			kept[r.Run].Apply(r)
		}
	}
	return list, earlier, nil
}

// deleteConversation ends whatever a conversation does, and deletes it.
func (s *Server) deleteConversation(c *call) (answer, error) {
	if _, err := s.head(c, c.conversation()); err != nil {
		return answer{}, err
	}
	err := s.Delete(c.Context(), c.conversation(), c.actor())
	return answer{status: http.StatusNoContent}, orUnknown(err, errNoConversation)
}

// sendMessage adds a message to a conversation, unless there were too many in
// the last minute.
func (s *Server) sendMessage(c *call) (answer, error) {
	id := c.conversation()
	head, err := s.head(c, id)
	if err != nil {
		return answer{}, err
	}
	var in NewMessage
	if err := c.read(&in); err != nil {
		return answer{}, err
	}
	m := agent.SendMessage{Message: c.message(), Text: in.Text, Author: c.actor()}
	if in.Output != nil {
		m.Output = agent.OutputOptions(*in.Output)
	} else if chosen, err := s.DB.Agents().Get(c.Context(), head.Agent); err == nil {
		m.Output = chosen.Output
	}
	if err := s.admit(c.caller, id); err != nil {
		return answer{}, err
	}
	if m.Attachments, err = s.DB.Attachments().Take(c.Context(), c.owner(), in.Attachments); err != nil {
		return answer{}, err
	}
	sent, err := s.Engine.Send(c.Context(), id, m)
	if err != nil {
		return answer{}, orUnknown(err, errNoConversation)
	}
	return answer{status: http.StatusAccepted, body: Sent{sent.Run, id, m.Message, sent.Queued}}, nil
}

// admit counts a message, or says how long to wait with it.
func (s *Server) admit(c caller, id agent.ConversationID) error {
	now := s.Now()
	if wait := s.keys.take(c.name(), now); wait > 0 {
		return errRate(wait)
	}
	if wait := s.conversations.take(string(id), now); wait > 0 {
		s.keys.back(c.name(), now)
		return errRate(wait)
	}
	return nil
}
