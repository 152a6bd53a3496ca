package agent

import (
	"slices"

	"countersign/providers"
)

// A History is the projection that the next request is made of: what people
// wrote, what completed attempts committed, and what tools returned. Text of
// an attempt that did not complete is never in it (contract A9).
//
// A run that failed or was stopped keeps its finished steps here, though the
// page withdraws their text: tools may have run, and the model has to know.
type History struct {
	seq    Seq
	copied HistoryCopied // from another conversation
	runs   []*runHistory
}

type runHistory struct {
	id          RunID
	first       Seq
	user        string
	attachments []Attachment
	steps       []*stepHistory
}

type stepHistory struct {
	message AssistantMessage
	calls   []ToolCallRequested
	results map[CallID]ToolCallFinished
}

// Apply folds a record in. A record that was seen changes nothing.
func (h *History) Apply(r Record) {
	if r.Seq <= h.seq {
		return
	}
	h.seq = r.Seq
	switch e := r.Event.(type) {
	case HistoryCopied:
		h.copied = e
		return
	case Rewound:
		h.runs = slices.DeleteFunc(h.runs, func(run *runHistory) bool { return run.first > e.To })
		return
	case UserMessage:
		h.runs = append(h.runs, &runHistory{id: r.Run, first: r.Seq, user: e.Text, attachments: e.Attachments})
		return
	}
	if len(h.runs) == 0 {
		return
	}
	run := h.runs[len(h.runs)-1]
	if run.id != r.Run {
		return
	}
	if e, ok := r.Event.(AssistantMessage); ok {
		run.steps = append(run.steps, &stepHistory{message: e, results: make(map[CallID]ToolCallFinished)})
		return
	}
	if len(run.steps) == 0 {
		return
	}
	step := run.steps[len(run.steps)-1]
	switch e := r.Event.(type) {
	case ToolCallRequested:
		step.calls = append(step.calls, e)
	case ToolCallFinished:
		step.results[e.Call] = e
	}
}

// Messages returns the history for a request. replays holds the private state
// of attempts, contents the files that go along.
func (h *History) Messages(replays map[AttemptID]providers.Replay, contents map[AttachmentID][]byte) []providers.Message {
	list := h.copied.messages()
	for _, run := range h.runs {
		list = append(list, userMessage(run.user, run.attachments, contents))
		for _, step := range run.steps {
			list = append(list, step.messages(replays)...)
		}
	}
	return list
}

func (s *stepHistory) messages(replays map[AttemptID]providers.Replay) []providers.Message {
	m := providers.AssistantMessage{Text: s.message.Text, Refusal: s.message.Refusal}
	var results []providers.Message
	for _, c := range s.calls {
		r, ok := s.results[c.Call]
		if !ok {
			continue // a request can't hold a call without its result
		}
		m.Calls = append(m.Calls, providers.ToolCall{ID: string(c.Call), Name: c.Tool, Arguments: c.Arguments, Executable: true})
		results = append(results, providers.ToolResult{CallID: string(c.Call), Text: r.Result, IsError: r.Outcome.IsError()})
	}
	if m.Text == "" && m.Refusal == "" && len(m.Calls) == 0 {
		return nil
	}
	if r, ok := replays[s.message.Attempt]; ok && len(m.Calls) == len(s.calls) {
		m.Replay = &r
	}
	return append([]providers.Message{m}, results...)
}
