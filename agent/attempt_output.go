package agent

import (
	"slices"
	"strings"
)

// An AttemptOutput is the projection of one run for a program that shows text
// as it comes: feed it the run's records and deltas from the first one on, show
// Text and Reasoning (contract A8). What a failed attempt wrote leaves it at
// once (A9); records and deltas that it has seen change nothing (A10). It keeps
// the newest attempts and characters only (A11), whatever the journal holds.
//
// It is not safe for concurrent use.
type AttemptOutput struct {
	first    Seq // of the run
	seq      Seq
	attempts []*attemptBuffer
}

type attemptBuffer struct {
	id                AttemptID
	answer, reasoning []byte
	closed            bool // deltas come too late
}

// Apply folds a record in.
func (o *AttemptOutput) Apply(r Record) {
	if r.Seq <= o.seq {
		return
	}
	o.seq = r.Seq
	if o.first == 0 {
		o.first = r.Seq
	}
	switch e := r.Event.(type) {
	case ModelAttemptStarted:
		o.attempts = append(o.attempts, &attemptBuffer{id: e.Attempt})
		if n := len(o.attempts); n > maxAttempts {
			o.attempts = slices.Delete(o.attempts, 0, n-maxAttempts)
		}
	case ModelAttemptFinished:
		if e.Outcome != AttemptCompleted {
			o.attempts = slices.DeleteFunc(o.attempts, func(b *attemptBuffer) bool { return b.id == e.Attempt })
		}
	case AssistantMessage:
		if b := o.buffer(e.Attempt); b != nil {
			b.answer, b.reasoning = []byte(Cut(e.Text, MaxAnswerDisplay)), []byte(Cut(e.Reasoning, MaxReasoningDisplay))
			b.closed = true
		}
	case Rewound:
		if o.first > e.To {
			o.Interrupt()
		}
	case RunFinished:
		if e.Status != StatusSucceeded {
			o.Interrupt()
		}
	}
}

// ApplyDelta adds a piece of text. One that does not continue what is there is
// passed over.
func (o *AttemptOutput) ApplyDelta(d Delta) {
	b := o.buffer(d.Attempt)
	if b == nil || b.closed {
		return
	}
	to, bound := &b.answer, MaxAnswerDisplay
	if d.Channel == ChannelReasoning {
		to, bound = &b.reasoning, MaxReasoningDisplay
	}
	if d.Start == len(*to) {
		*to = append(*to, Cut(d.Text, bound-len(*to))...)
	}
}

// Interrupt drops everything: the run did not complete (contract A7, A12).
func (o *AttemptOutput) Interrupt() { o.attempts = nil }

// Text returns the answer as it stands.
func (o *AttemptOutput) Text() string {
	return o.join(func(b *attemptBuffer) []byte { return b.answer })
}

// Reasoning returns the display reasoning as it stands.
func (o *AttemptOutput) Reasoning() string {
	return o.join(func(b *attemptBuffer) []byte { return b.reasoning })
}

func (o *AttemptOutput) buffer(id AttemptID) *attemptBuffer {
	for _, b := range o.attempts {
		if b.id == id {
			return b
		}
	}
	return nil
}

func (o *AttemptOutput) join(part func(*attemptBuffer) []byte) string {
	var list []string
	for _, b := range o.attempts {
		if text := part(b); len(text) > 0 {
			list = append(list, string(text))
		}
	}
	return strings.Join(list, "\n\n")
}
