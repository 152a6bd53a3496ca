package web

import (
	"context"
	"io"
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// showAnswer sends the whole text of an attempt as a file: a page shows the
// beginning of a long one. An attempt whose text is withdrawn has none.
func (s *Server) showAnswer(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	attempt := agent.AttemptID(r.PathValue("attempt"))
	run, err := s.runWith(r.Context(), id, func(e agent.Event) bool {
		m, ok := e.(agent.AssistantMessage)
		return ok && m.Attempt == attempt
	})
	if err != nil {
		return err
	}
	i, _ := run.Item(string(attempt)).(*agent.AttemptItem)
	if i == nil || i.State != agent.AttemptProvisional && i.State != agent.AttemptFinal {
		return agent.ErrNotFound
	}
	text := i.Text
	if text == "" {
		text = i.Refusal
	}
	sendText(w, "answer.txt", text)
	return nil
}

// showResult sends the whole result of a call, of which a page shows the
// beginning: to a page in its place there, otherwise as a file.
func (s *Server) showResult(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	call := agent.CallID(r.PathValue("call"))
	run, err := s.runWith(r.Context(), id, func(e agent.Event) bool {
		f, ok := e.(agent.ToolCallFinished)
		return ok && f.Call == call
	})
	if err != nil {
		return err
	}
	c, _ := run.Call(call)
	if c == nil || c.State != agent.CallFinished {
		return agent.ErrNotFound
	}
	if inBackground(r) {
		return s.render(w, r, http.StatusOK, views.WholeResult(c))
	}
	sendText(w, "result.txt", c.Result)
	return nil
}

// runWith returns the run that has a record with such an event, as the
// timeline shows it at the end of the run. A run that does not stand any more
// has none: the error is [agent.ErrNotFound].
func (s *Server) runWith(ctx context.Context, id agent.ConversationID, is func(agent.Event) bool) (*agent.RunItem, error) {
	var timeline agent.Timeline
	var run *agent.RunItem
	for record, err := range s.journal.Read(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		timeline.Apply(record)
		if is(record.Event) {
			run = timeline.Run(record.Run)
		}
		if e, ok := record.Event.(agent.Rewound); ok && run != nil && run.FirstSeq > e.To {
			run = nil
		}
		// Only what is under way is kept, however long the conversation is.
		timeline.Forget()
		timeline.Take()
	}
	if run == nil {
		return nil, agent.ErrNotFound
	}
	return run, nil
}

// sendText sends a text as a file and never as a page: it is a model's or a
// tool's.
func sendText(w http.ResponseWriter, name, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = io.WriteString(w, text) // the browser has gone: nobody to tell
}
