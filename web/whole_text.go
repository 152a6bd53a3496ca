package web

import (
	"context"
	"io"
	"net/http"

	"countersign/agent"
)

// showAnswer sends the whole text of an attempt as a file: a page shows the
// beginning of a long one. An attempt whose text is withdrawn has none.
func (s *Server) showAnswer(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	text, err := s.answer(r.Context(), id, agent.AttemptID(r.PathValue("attempt")))
	if err != nil {
		return err
	}
	h := w.Header() // a file and never a page: the text is a model's
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", `attachment; filename="answer.txt"`)
	_, _ = io.WriteString(w, text) // the browser has gone: nobody to tell
	return nil
}

// answer returns what an attempt committed, or its refusal, as long as its run
// stands: it is to be had exactly while the timeline shows it. Otherwise the
// error is [agent.ErrNotFound].
func (s *Server) answer(ctx context.Context, id agent.ConversationID, attempt agent.AttemptID) (string, error) {
	var timeline agent.Timeline
	var run *agent.RunItem
	var found *agent.AttemptItem
	for record, err := range s.journal.Read(ctx, id, 0) {
		if err != nil {
			return "", err
		}
		timeline.Apply(record)
		switch e := record.Event.(type) {
		case agent.AssistantMessage:
			if e.Attempt == attempt {
				run = timeline.Run(record.Run)
				found, _ = run.Item(string(attempt)).(*agent.AttemptItem)
			}
		case agent.Rewound:
			if run != nil && run.FirstSeq > e.To {
				run, found = nil, nil
			}
		}
		// Only what is under way is kept, however long the conversation is.
		timeline.Forget()
		timeline.Take()
	}
	if found == nil || found.State != agent.AttemptProvisional && found.State != agent.AttemptFinal {
		return "", agent.ErrNotFound
	}
	if found.Text == "" {
		return found.Refusal, nil
	}
	return found.Text, nil
}
