package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxMessage is the longest message, in bytes.
const MaxMessage = 128 << 10

// A NewConversation is a first message. The conversation that it opens follows
// from the owner and the message's id, so that sending it twice opens one.
type NewConversation struct {
	Agent Agent
	Model ModelRef // resolved; the conversation keeps it (contract P2)
	// Copied comes before the message, nil for nothing.
	Copied *HistoryCopied
	SendMessage
}

// A SendMessage is what a person sends.
type SendMessage struct {
	Message MessageID // chosen by the client; makes a second submit harmless
	Text    string
	Author  Actor
	Output  OutputOptions
	// Attachments are uploads of the author that no other conversation has.
	// The journal refuses others with an [InputError].
	Attachments []Attachment
}

// Sent says what became of a message.
type Sent struct {
	Conversation ConversationID
	Run          RunID // the one that it starts, or that it answers
	Queued       bool  // the run begins when the one under way has ended
}

var messageID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

var errMessageID = &InputError{Message: "The message has no usable id. Reload the page and send it again."}

func (m SendMessage) check() error {
	switch {
	case strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0:
		return &InputError{Message: "Write a message first."}
	case len(m.Text) > MaxMessage:
		return &InputError{Message: fmt.Sprintf("The message is %d KB long. The limit is %d KB: shorten it or split it.", len(m.Text)>>10, MaxMessage>>10)}
	case !utf8.ValidString(m.Text):
		return &InputError{Message: "The message is not valid UTF-8 text."}
	case !messageID.MatchString(string(m.Message)):
		return errMessageID
	}
	return checkAttachments(m.Attachments)
}

// title is what a conversation is called that starts with the message.
func (m SendMessage) title() string {
	if strings.TrimSpace(m.Text) == "" && len(m.Attachments) > 0 {
		return titleFrom(m.Attachments[0].Name)
	}
	return titleFrom(m.Text)
}

// Open opens a conversation without a message, as a program does: its runs
// come with Send. What is copied into it gives it its title. The text is not
// looked at. Opening it twice opens one.
func (e *Engine) Open(ctx context.Context, n NewConversation) (ConversationID, error) {
	if !messageID.MatchString(string(n.Message)) {
		return "", errMessageID
	}
	if err := e.permit(ctx, n.Author.User); err != nil {
		return "", err
	}
	id := ConversationFor(n.Author.User, n.Message)
	created := ConversationCreated{Owner: n.Author.User, Agent: n.Agent.ID, AgentName: n.Agent.Name, Model: n.Model}
	entries := []Entry{{Event: created}}
	if n.Copied != nil {
		if title := titleFrom(n.Copied.Title); title != "" {
			entries = append(entries, Entry{Event: ConversationTitled{Title: title}})
		}
		entries = append(entries, Entry{Event: *n.Copied})
	}
	_, err := e.append(ctx, created.Owner, Batch{Conversation: id, Entries: entries})
	if errors.Is(err, ErrConflict) { // the same request came twice
		err = nil
	}
	return id, err
}

// Create opens a conversation with its first message and starts the run.
func (e *Engine) Create(ctx context.Context, n NewConversation) (Sent, error) {
	if err := n.check(); err != nil {
		return Sent{}, err
	}
	if err := e.permit(ctx, n.Author.User); err != nil {
		return Sent{}, err
	}
	if err := e.mayAttach(ctx, n.Model, n.Attachments); err != nil {
		return Sent{}, err
	}
	id := ConversationFor(n.Author.User, n.Message)
	sent := Sent{Conversation: id, Run: RunFor(id, n.Message)}
	created := ConversationCreated{Owner: n.Author.User, Agent: n.Agent.ID, AgentName: n.Agent.Name, Model: n.Model}
	head := Head{AgentName: created.AgentName, Model: created.Model}
	entries := []Entry{{Event: created}, {Event: ConversationTitled{Title: n.title()}}}
	if n.Copied != nil {
		entries = append(entries, Entry{Event: *n.Copied})
	}
	entries = append(entries, startRun(id, head, UserMessage{Message: n.Message, Text: n.Text, Author: n.Author, Attachments: n.Attachments}, n.Output)...)
	_, err := e.append(ctx, created.Owner, Batch{Conversation: id, Entries: entries})
	if errors.Is(err, ErrConflict) { // the same submit came twice
		return sent, nil
	}
	return sent, err
}

// Send adds a message to a conversation: it starts a run, answers the question
// that a run waits for, or waits in the queue while a run is under way. A
// message that was sent before is found again.
func (e *Engine) Send(ctx context.Context, id ConversationID, m SendMessage) (Sent, error) {
	if err := m.check(); err != nil {
		return Sent{}, err
	}
	var sent Sent
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		sent = Sent{Conversation: id, Run: RunFor(id, m.Message)} // not what a lost append had decided
		if h.Queued(m.Message) >= 0 {
			sent.Queued = true
			return nil, nil
		}
		if _, err := e.state(ctx, RunRef{id, sent.Run}); !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		if run, ok := h.answeredBy(m.Message); ok {
			sent.Run = run
			return nil, nil
		}
		if err := e.mayRun(ctx, m.Author.User, h.Agent); err != nil {
			return nil, err
		}
		if err := e.mayAttach(ctx, h.Model, m.Attachments); err != nil {
			return nil, err
		}
		if answer, err := e.answerByMessage(ctx, id, h, m); err != nil {
			return nil, err
		} else if len(answer) > 0 {
			sent.Run = h.Run.ID
			return answer, nil
		}
		sent.Queued = h.Busy()
		if most := e.bound().Queue; len(h.Queue) >= most {
			return nil, &InputError{Message: fmt.Sprintf("No more messages can wait here; the limit is %d. Remove one or let the run end first.", most)}
		}
		queued := Entry{Event: MessageQueued(m)}
		switch {
		case h.Busy():
			return []Entry{queued}, nil
		case len(h.Queue) > 0: // left over from a stopped run: keep the order
			sent.Queued = true
			return append([]Entry{queued}, startNext(id, h)...), nil
		}
		entries := startRun(id, h, UserMessage{Message: m.Message, Text: m.Text, Author: m.Author, Attachments: m.Attachments}, m.Output)
		if h.Title == "" { // it was opened without a message
			entries = append([]Entry{{Event: ConversationTitled{Title: m.title()}}}, entries...)
		}
		return entries, nil
	})
	return sent, err
}

// answerByMessage returns the entries that make a message the answer to the
// question that the newest run waits for, and nothing if it waits for none
// (contract H22).
func (e *Engine) answerByMessage(ctx context.Context, id ConversationID, h Head, m SendMessage) ([]Entry, error) {
	if h.Run == nil || h.Run.Status != StatusWaitingInput {
		return nil, nil
	}
	s, err := e.state(ctx, RunRef{id, h.Run.ID})
	if err != nil || s.Question == nil || !e.now().Before(s.Question.ExpiresAt) {
		return nil, err
	}
	if len(m.Attachments) > 0 {
		return nil, &InputError{Message: "An answer to a question can't have files. Answer first, then send them with the next message."}
	}
	return runEntries(s.ID, s.answer(QuestionAnswered{Message: m.Message, Text: m.Text, By: m.Author})), nil
}

// EditQueued replaces the text of a waiting message. [ErrNotFound] says that
// it does not wait any more.
func (e *Engine) EditQueued(ctx context.Context, id ConversationID, m SendMessage) error {
	if err := m.check(); err != nil {
		return err
	}
	return e.queue(ctx, id, m.Message, QueuedMessageEdited{Message: m.Message, Text: m.Text})
}

// SendQueued starts the run of the oldest message that waits, where a stopped
// run left it behind. While a run is under way, and without such a message, it
// does nothing: messages start by themselves then.
func (e *Engine) SendQueued(ctx context.Context, id ConversationID) error {
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if h.Busy() || len(h.Queue) == 0 {
			return nil, nil
		}
		if err := e.mayRun(ctx, h.Owner, h.Agent); err != nil {
			return nil, err
		}
		return startNext(id, h), nil
	})
	return err
}

// RemoveQueued takes a waiting message back. [ErrNotFound] says that it does
// not wait any more.
func (e *Engine) RemoveQueued(ctx context.Context, id ConversationID, m MessageID) error {
	return e.queue(ctx, id, m, QueuedMessageRemoved{Message: m})
}

func (e *Engine) queue(ctx context.Context, id ConversationID, m MessageID, ev Event) error {
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if h.Queued(m) < 0 {
			return nil, ErrNotFound
		}
		return []Entry{{Event: ev}}, nil
	})
	return err
}
