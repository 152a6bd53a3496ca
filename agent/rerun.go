package agent

import (
	"context"
	"errors"
)

// errRewound tells a person whose page shows a run that does not stand.
var errRewound = &InputError{Message: "This message is not part of the conversation any more. Reload the page to see how it stands."}

// Rerun sends the message of a run again, with this text, the same files and the
// same output options. The run and those after it are rewound: a run of the new
// message takes their place. What their tools did stays done, and messages that
// wait go on waiting. A title that came from the message follows it.
//
// It is refused while a run is under way, and for a run that does not stand any
// more ([InputError]). One that was rerun with the same text is found again, so
// that asking twice does no harm. [ErrNotFound] says that there is no such run.
func (e *Engine) Rerun(ctx context.Context, r RunRef, text string, by Actor) (Sent, error) {
	m := SendMessage{Message: "again_" + MessageID(r.Run), Text: text, Author: by}
	sent := Sent{Conversation: r.Conversation, Run: RunFor(r.Conversation, m.Message)}
	_, err := e.commit(ctx, r.Conversation, func(h Head) ([]Entry, error) {
		s, err := e.state(ctx, r)
		if err != nil {
			return nil, err
		}
		m.Attachments = s.Message.Attachments
		if err := m.check(); err != nil {
			return nil, err
		}
		// In this order: what rewinds the run comes with the one that takes its
		// place, so whoever has seen the one finds the other.
		gone := e.stands(ctx, r.Conversation, s)
		switch again, err := e.state(ctx, RunRef{r.Conversation, sent.Run}); {
		case err == nil && again.Message.Text == m.Text:
			return nil, e.stands(ctx, r.Conversation, again)
		case err == nil:
			return nil, errRewound
		case !errors.Is(err, ErrNotFound):
			return nil, err
		case gone != nil:
			return nil, gone
		}
		if h.Busy() {
			return nil, &InputError{Message: "A run is under way. Stop it first, then send the message again."}
		}
		if err := e.mayRun(ctx, by.User, h.Agent); err != nil {
			return nil, err
		}
		if err := e.mayAttach(ctx, h.Model, m.Attachments); err != nil {
			return nil, err
		}
		entries := []Entry{{Event: Rewound{To: s.FirstSeq - 1}}}
		if title := m.title(); h.Title == (SendMessage{Text: s.Message.Text, Attachments: m.Attachments}).title() && title != h.Title {
			entries = append(entries, Entry{Event: ConversationTitled{Title: title}})
		}
		message := UserMessage{Message: m.Message, Text: m.Text, Author: m.Author, Attachments: m.Attachments}
		return append(entries, startRun(r.Conversation, h, message, s.Output)...), nil
	})
	return sent, err
}

// stands returns nil for a run that was not rewound.
func (e *Engine) stands(ctx context.Context, id ConversationID, s *RunState) error {
	for rec, err := range e.journal.Read(ctx, id, s.Seq) {
		if err != nil {
			return err
		}
		if rewound, ok := rec.Event.(Rewound); ok && rewound.To < s.FirstSeq {
			return errRewound
		}
	}
	return nil
}
