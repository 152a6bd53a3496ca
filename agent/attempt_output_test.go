package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/agent"
)

// An outputOf is the output of a run that is told of events.
type outputOf struct {
	agent.AttemptOutput
	seq agent.Seq
}

func (o *outputOf) tell(events ...agent.Event) {
	for _, e := range events {
		o.seq++
		o.Apply(agent.Record{Conversation: "c", Seq: o.seq, Run: "r", Event: e})
	}
}

func (o *outputOf) expect(t *testing.T, what, text, reasoning string) {
	t.Helper()
	if o.Text() != text || o.Reasoning() != reasoning {
		t.Errorf("%s: text %q and reasoning %q, want %q and %q", what, o.Text(), o.Reasoning(), text, reasoning)
	}
}

func answerDelta(attempt agent.AttemptID, start int, text string) agent.Delta {
	return agent.Delta{Attempt: attempt, Channel: agent.ChannelAnswer, Start: start, Text: text}
}

func TestAttemptOutput_Deltas(t *testing.T) {
	t.Parallel()
	o := &outputOf{}
	o.ApplyDelta(answerDelta("a1", 0, "too early"))
	o.expect(t, "an attempt that is not known", "", "")
	o.tell(agent.RunStarted{}, agent.ModelAttemptStarted{Attempt: "a1"})
	o.ApplyDelta(answerDelta("a1", 0, "Hel"))
	o.ApplyDelta(answerDelta("a1", 0, "Hel"))
	o.ApplyDelta(answerDelta("a1", 4, "gap"))
	o.ApplyDelta(answerDelta("a1", 3, "lo"))
	o.ApplyDelta(agent.Delta{Attempt: "a1", Channel: agent.ChannelReasoning, Text: "Hm."})
	o.expect(t, "pieces", "Hello", "Hm.")
	o.tell(agent.ModelAttemptFinished{Attempt: "a1", Outcome: agent.AttemptFailed})
	o.expect(t, "a failed attempt", "", "")
	o.ApplyDelta(answerDelta("a1", 5, " again"))
	o.expect(t, "a piece of a failed attempt", "", "")

	o.tell(agent.ModelAttemptStarted{Attempt: "a2"})
	o.ApplyDelta(answerDelta("a2", 0, "I will lo"))
	o.tell(agent.ModelAttemptFinished{Attempt: "a2", Outcome: agent.AttemptCompleted}, agent.AssistantMessage{Attempt: "a2", Text: "I will look.", Reasoning: "Let me."})
	o.ApplyDelta(answerDelta("a2", 12, " Late."))
	o.expect(t, "what was stored", "I will look.", "Let me.")
	o.tell(agent.ModelAttemptStarted{Attempt: "a3"})
	o.ApplyDelta(answerDelta("a3", 0, "It rains."))
	o.expect(t, "two attempts", "I will look.\n\nIt rains.", "Let me.")
	o.tell(agent.ModelAttemptFinished{Attempt: "a3", Outcome: agent.AttemptInterrupted})
	o.expect(t, "an interrupted attempt", "I will look.", "Let me.")
	o.tell(agent.RunFinished{Status: agent.StatusCancelled})
	o.expect(t, "a run that was stopped", "", "")
}

// The projection is bounded; the journal is not cut by it (contract A11).
func TestAttemptOutput_Bounds(t *testing.T) {
	t.Parallel()
	o := &outputOf{}
	for n := range 10 {
		id := agent.AttemptID(fmt.Sprint("a", n))
		o.tell(
			agent.ModelAttemptStarted{Attempt: id}, agent.ModelAttemptFinished{Attempt: id, Outcome: agent.AttemptCompleted},
			agent.AssistantMessage{Attempt: id, Text: fmt.Sprint("text ", n)},
		)
	}
	if parts := strings.Split(o.Text(), "\n\n"); len(parts) != 8 || parts[0] != "text 2" {
		t.Errorf("of ten attempts %q are kept", parts)
	}
	o = &outputOf{}
	o.tell(agent.ModelAttemptStarted{Attempt: "a"})
	const piece = "äöü€ "
	for i := range agent.MaxAnswerDisplay/len(piece) + 2 {
		o.ApplyDelta(answerDelta("a", i*len(piece), piece))
		o.ApplyDelta(agent.Delta{Attempt: "a", Channel: agent.ChannelReasoning, Start: i * len(piece), Text: piece})
	}
	check := func(what, text string, bound int) {
		if n := len(text); n > bound || n < bound-utf8.UTFMax || !utf8.ValidString(text) {
			t.Errorf("%s has %d bytes of at most %d, valid: %v", what, n, bound, utf8.ValidString(text))
		}
	}
	check("an answer under way", o.Text(), agent.MaxAnswerDisplay)
	check("reasoning under way", o.Reasoning(), agent.MaxReasoningDisplay)
	long := strings.Repeat(piece, agent.MaxAnswerDisplay/len(piece)+2)
	o.tell(agent.AssistantMessage{Attempt: "a", Text: long, Reasoning: long})
	check("a stored answer", o.Text(), agent.MaxAnswerDisplay)
	check("stored reasoning", o.Reasoning(), agent.MaxReasoningDisplay)
}

func TestAttemptOutput_Interrupt(t *testing.T) {
	t.Parallel()
	o := &outputOf{}
	o.tell(agent.ModelAttemptStarted{Attempt: "a"})
	o.ApplyDelta(answerDelta("a", 0, "Hello"))
	o.Interrupt()
	o.ApplyDelta(answerDelta("a", 5, "!"))
	o.expect(t, "interrupted", "", "")
}
