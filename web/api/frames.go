package api

import (
	"countersign/agent"
)

// A Frame is an event of a run's stream (contract H3). Readers pass over types
// that they do not know.
type Frame struct {
	Type string `json:"type" enum:"state,token,tool,approval,question,reconcile,safety,attempt,done,error"`
	Data any    `json:"data"`
}

// The data of frames.
type (
	// StateData says that the run changed state, which may go back: a run that
	// waited is pending again.
	StateData struct {
		State  agent.RunStatus `json:"state"`
		Reason string          `json:"reason" doc:"Any word; there may be new ones."`
	}
	// TokenData is text of an attempt. It is provisional.
	TokenData struct {
		Delta   string          `json:"delta"`
		Attempt agent.AttemptID `json:"attempt_id"`
	}
	// ToolData says that a tool call started or ended. One may end that never
	// started: it was not allowed.
	ToolData struct {
		CallID  agent.CallID `json:"call_id"`
		Name    string       `json:"name"`
		Phase   string       `json:"phase" enum:"start,end"`
		IsError bool         `json:"is_error,omitempty"`
		Result  string       `json:"result,omitempty" doc:"What the model is told; for ask_user alone."`
	}
	// AttemptData withdraws the text of an attempt: it is no part of the answer.
	AttemptData struct {
		Attempt agent.AttemptID      `json:"attempt_id"`
		Outcome agent.AttemptOutcome `json:"outcome" enum:"failed,interrupted,withheld" doc:"withheld: a guardrail kept it back."`
	}
	// DoneData is the end of a run that succeeded.
	DoneData struct {
		Result    *Result    `json:"result"`
		Citations []Citation `json:"citations"`
	}
)

// frames tells of a run as frames.
type frames struct {
	listener
	told map[agent.InteractionID]bool // cards that the reader was shown
	of   agent.AttemptID
	sent int // bytes of the attempt's answer that the reader has, or is not sent
	// waits says that the reader was told that the run has not begun.
	waits bool
}

func (t *frames) frame(kind string, data any) { t.out.event(t.place(), Frame{kind, data}) }

func (t *frames) moved(reason string) { t.frame("state", StateData{t.Status, reason}) }

// record implements [teller]. The reader has those up to its cursor.
func (t *frames) record(rec agent.Record, live bool) {
	if rec.Seq <= t.after {
		return
	}
	switch e := rec.Event.(type) {
	case agent.RunCreated:
		t.moved("accepted")
	case agent.RunStarted:
		reason := "claimed"
		if e.Reclaimed {
			reason = "reclaimed"
		}
		t.moved(reason)
	case agent.RunWaiting:
		t.moved(t.waitsFor())
	case agent.RunResumed:
		t.moved(e.Reason)
	case agent.RunFinished:
		t.moved("finished")
	case agent.ModelAttemptFinished:
		if e.Outcome != agent.AttemptCompleted {
			t.frame("attempt", AttemptData{e.Attempt, e.Outcome})
		}
	case agent.AssistantMessage:
		if live {
			t.complete(e)
		}
	case agent.ToolCallStarted:
		t.tool(e.Call, ToolData{Phase: "start"})
	case agent.ToolCallFinished:
		t.tool(e.Call, ToolData{Phase: "end", IsError: e.Outcome.IsError()})
	}
}

func (t *frames) waitsFor() string {
	switch {
	case t.Approval != nil:
		return string(agent.KindApproval)
	case t.Question != nil:
		return string(agent.KindQuestion)
	case t.Safety != nil:
		return string(agent.KindSafety)
	}
	return string(agent.KindReconcile)
}

func (t *frames) tool(id agent.CallID, d ToolData) {
	c := t.Call(id)
	if c == nil {
		return
	}
	d.CallID, d.Name = id, c.Tool
	if c.Asked != nil && c.Finished != nil {
		d.Result = c.Finished.Result
	}
	t.frame("tool", d)
}

// delta implements [teller].
func (t *frames) delta(d agent.Delta) {
	if d.Channel == agent.ChannelAnswer {
		t.token(d.Attempt, d.Start, d.Text)
	}
}

// token sends what the reader lacks of a piece of an attempt. One behind a gap
// waits: what fills the gap has it too.
func (t *frames) token(id agent.AttemptID, start int, text string) {
	if t.of != id {
		t.of, t.sent = id, 0
	}
	if start > t.sent || start+len(text) <= t.sent {
		return
	}
	text = text[t.sent-start:]
	t.sent += len(text)
	t.frame("token", TokenData{text, id})
}

// complete sends what the reader lacks of an attempt that has completed: the
// whole of one that was held back, or the end of one that was shown in part.
func (t *frames) complete(e agent.AssistantMessage) {
	if e.Refusal == "" {
		t.token(e.Attempt, 0, e.Text)
	}
}

// joined implements [teller]: text from before the stream is not sent again
// (contract H26).
func (t *frames) joined(d agent.Draft) { t.of, t.sent = d.Attempt, len(d.Answer) }

// written implements [teller].
func (t *frames) written(d agent.Draft) { t.token(d.Attempt, 0, d.Answer) }

// activity implements [teller]: frames have no sign of life but comments.
func (*frames) activity(agent.Activity) {}

// standing implements [teller]. What waits is shown once in a stream, whether
// or not the reader saw it in an earlier one (contract H28); the end is last.
func (t *frames) standing() {
	if t.told == nil {
		t.told = make(map[agent.InteractionID]bool)
	}
	first := func(id agent.InteractionID) bool {
		had := t.told[id]
		t.told[id] = true
		return !had
	}
	if a := t.approval(); a != nil && t.Status.Waiting() && first(t.Approval.Interaction) {
		t.frame("approval", a)
	}
	if q := t.question(); q != nil && t.Status.Waiting() && first(t.Question.Interaction) {
		t.frame("question", q)
	}
	if r := t.reconcile(); r != nil && t.Status.Waiting() && first(t.Reconcile.Interaction) {
		t.frame("reconcile", r)
	}
	if s := t.safety(); s != nil && t.Status.Waiting() && first(t.Safety.Interaction) {
		t.frame("safety", s)
	}
	if t.queued != nil && !t.removed && !t.waits && t.after == 0 {
		t.waits = true
		t.frame("state", StateData{agent.StatusPending, "queued"})
	}
	if !t.run.state().Terminal() {
		return
	}
	if t.removed {
		t.frame("state", StateData{agent.StatusCancelled, "removed"})
	}
	if res := t.result(); res != nil {
		t.frame("done", DoneData{res, res.Citations})
	} else {
		t.frame("error", t.failure())
	}
}
