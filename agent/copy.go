package agent

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"countersign/providers"
)

// MaxCopied bounds the text of a copied history, in bytes. Older messages are
// left out first.
const MaxCopied = 256 << 10

// HistoryCopied starts a conversation with what was said in another one. It is
// plain text: private state that a provider bound to itself or its model is no
// part of it, so it may go to any (contract P29).
type HistoryCopied struct {
	From     ConversationID  `json:"from,omitempty"` // "" for one that was read from a file
	Title    string          `json:"title"`          // of From
	Messages []CopiedMessage `json:"messages"`
	Omitted  int             `json:"omitted,omitempty"` // older messages
}

// A CopiedMessage is what a person wrote or what an agent answered. Exactly one
// of Person and Agent is set.
type CopiedMessage struct {
	Person string    `json:"person,omitempty"` // name
	Agent  string    `json:"agent,omitempty"`  // name
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
}

func (HistoryCopied) Kind() Kind { return "history_copied" }

// messages returns the copy for a request.
func (c HistoryCopied) messages() []providers.Message {
	list := make([]providers.Message, len(c.Messages))
	for i, m := range c.Messages {
		if m.Agent != "" {
			list[i] = providers.AssistantMessage{Text: m.Text}
		} else {
			list[i] = providers.UserMessage{Text: m.Text}
		}
	}
	return list
}

// A visible is the projection of what was said in a conversation: messages of
// people and answers of runs that succeeded.
type visible struct {
	title  string
	copied HistoryCopied
	runs   []*visibleRun
}

type visibleRun struct {
	id      RunID
	first   Seq
	said    []CopiedMessage // by people
	agent   string
	answers map[AttemptID]string
	answer  []CopiedMessage // none until the run has succeeded with one
}

func (v *visible) apply(r Record) {
	switch e := r.Event.(type) {
	case ConversationTitled:
		v.title = e.Title
		return
	case HistoryCopied:
		v.copied = e
		return
	case Rewound:
		v.runs = slices.DeleteFunc(v.runs, func(run *visibleRun) bool { return run.first > e.To })
		return
	case UserMessage:
		v.runs = append(v.runs, &visibleRun{
			id: r.Run, first: r.Seq, said: []CopiedMessage{{Person: cmp.Or(e.Author.Name, "Person"), Text: copiedText(e), At: r.At}},
			answers: make(map[AttemptID]string),
		})
		return
	}
	if len(v.runs) == 0 || v.runs[len(v.runs)-1].id != r.Run {
		return
	}
	run := v.runs[len(v.runs)-1]
	switch e := r.Event.(type) {
	case RunCreated:
		run.agent = cmp.Or(e.AgentName, "Agent")
	case AssistantMessage:
		run.answers[e.Attempt] = cmp.Or(e.Text, e.Refusal)
	case RunFinished:
		if text := run.answers[e.Answer]; e.Status == StatusSucceeded && text != "" {
			run.answer = []CopiedMessage{{Agent: run.agent, Text: text, At: r.At}}
		}
	}
}

// copiedText is what a person wrote, with the names of the files that came with
// it: the files themselves stay where they are.
func copiedText(m UserMessage) string {
	text := m.Text
	for _, a := range m.Attachments {
		text += fmt.Sprintf("\n\n[Attached: %s]", a.Name)
	}
	return strings.TrimSpace(text)
}

// copy keeps the newest messages that fit.
func (v *visible) copy() HistoryCopied {
	all := slices.Clone(v.copied.Messages)
	for _, run := range v.runs {
		all = append(append(all, run.said...), run.answer...)
	}
	first, size := len(all), 0
	for first > 0 && size+len(all[first-1].Text) <= MaxCopied {
		first--
		size += len(all[first].Text)
	}
	return HistoryCopied{Title: v.title, Messages: all[first:], Omitted: v.copied.Omitted + first}
}

// Copy returns what was said in a conversation, to start another one with it.
// What tools did and what was reasoned is not in it.
func (e *Engine) Copy(ctx context.Context, id ConversationID) (HistoryCopied, error) {
	c, err := CopyOf(e.journal.Read(ctx, id, 0))
	if err != nil {
		return HistoryCopied{}, fmt.Errorf("read the history: %w", err)
	}
	c.From = id
	return c, nil
}

// CopyOf is what was said in a conversation by its records. It ends with the
// first error of theirs.
func CopyOf(records iter.Seq2[Record, error]) (HistoryCopied, error) {
	var v visible
	for r, err := range records {
		if err != nil {
			return HistoryCopied{}, err
		}
		v.apply(r)
	}
	return v.copy(), nil
}
