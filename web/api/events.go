package api

import (
	"encoding/json"

	"countersign/agent"
)

// A JournalEvent is a fact of a run, or live text of it. Live ones have the
// types assistant_delta, reasoning_delta and model_activity and no seq.
type JournalEvent struct {
	Type           string               `json:"type" doc:"The kind of the event; readers pass over those that they do not know."`
	Seq            *agent.Seq           `json:"seq" doc:"Its place in the conversation; null for one that is not recorded."`
	ConversationID agent.ConversationID `json:"conversation_id"`
	RunID          agent.RunID          `json:"run_id"`
	At             Time                 `json:"at"`
	Data           json.RawMessage      `json:"data"`
}

// The data of live events.
type (
	// DeltaData is text of an attempt, from a byte of it on. Where it starts
	// at 0 it takes the place of all that came before; otherwise it goes on
	// from there.
	DeltaData struct {
		Attempt agent.AttemptID `json:"attempt_id"`
		Start   int             `json:"start"`
		Text    string          `json:"text"`
	}
	// ActivityData says that a request is still open, and nothing of progress.
	ActivityData struct {
		Attempt   agent.AttemptID `json:"attempt_id"`
		ElapsedMS int64           `json:"elapsed_ms"`
	}
)

// The types of live events.
const (
	liveAnswer    = "assistant_delta"
	liveReasoning = "reasoning_delta"
	liveActivity  = "model_activity"
)

// events tells of a run by the events of the journal.
type events struct {
	listener
	of   agent.AttemptID
	sent map[agent.Channel]int // bytes of the attempt that the reader has
	// output returns what an attempt that has ended wrote; nil if the reader is
	// not sent what it missed.
	output func(agent.AttemptID) []agent.Segment
}

// record implements [teller].
func (t *events) record(rec agent.Record, _ bool) {
	if rec.Seq <= t.after {
		return
	}
	if e, ok := rec.Event.(agent.ModelAttemptFinished); ok && t.output != nil && !t.run.Output.BufferAttempts {
		t.missed(e.Attempt)
	}
	data, err := agent.EncodeEvent(agent.Told(rec.Event))
	if err != nil {
		panic("api: a record that can't be written")
	}
	t.out.event(rec.Seq, JournalEvent{string(rec.Event.Kind()), &rec.Seq, rec.Conversation, rec.Run, Time(rec.At), data})
}

func (t *events) live(kind string, data any) {
	t.out.event(t.place(), JournalEvent{kind, nil, t.ref.Conversation, t.ref.Run, Time(t.now()), encode(data)})
}

// delta implements [teller].
func (t *events) delta(d agent.Delta) { t.text(d.Attempt, d.Channel, d.Start, d.Text) }

// text sends what the reader lacks of a piece of an attempt. One behind a gap
// waits: what fills the gap has it too.
func (t *events) text(id agent.AttemptID, c agent.Channel, start int, text string) {
	if t.of != id {
		t.of, t.sent = id, make(map[agent.Channel]int)
	}
	sent := t.sent[c]
	if start > sent || start+len(text) <= sent {
		return
	}
	kind := liveAnswer
	if c == agent.ChannelReasoning {
		kind = liveReasoning
	}
	t.sent[c] = start + len(text)
	t.live(kind, DeltaData{id, sent, text[sent-start:]})
}

// missed sends what the reader lacks of an attempt that has ended, in the order
// in which it was written.
func (t *events) missed(id agent.AttemptID) {
	at := make(map[agent.Channel]int)
	for _, s := range t.output(id) {
		text := s.Text
		if c := s.Channel; at[c]+len(text) > bounds[c] {
			text = agent.Cut(text, bounds[c]-at[c])
		}
		t.text(id, s.Channel, at[s.Channel], text)
		if at[s.Channel] += len(s.Text); len(text) < len(s.Text) {
			at[s.Channel] = bounds[s.Channel]
		}
	}
}

// bounds are how many bytes of an attempt are shown.
var bounds = map[agent.Channel]int{agent.ChannelAnswer: agent.MaxAnswerDisplay, agent.ChannelReasoning: agent.MaxReasoningDisplay}

// joined implements [teller]: the reader gets all that there is of the attempt,
// once it has the record that begins it.
func (*events) joined(agent.Draft) {}

// written implements [teller]. A draft does not know what of it came first: who
// gets all in its order waits for the end of the attempt.
func (t *events) written(d agent.Draft) {
	if t.output != nil && d.Answer != "" {
		return
	}
	t.text(d.Attempt, agent.ChannelReasoning, 0, d.Reasoning)
	t.text(d.Attempt, agent.ChannelAnswer, 0, d.Answer)
}

// activity implements [teller].
func (t *events) activity(a agent.Activity) {
	t.live(liveActivity, ActivityData{a.Attempt, a.Elapsed.Milliseconds()})
}

// standing implements [teller]: what waits and how a run ended are events.
func (*events) standing() {}
