package views

import (
	"testing"

	"countersign/agent"
)

func TestCallsWords(t *testing.T) {
	t.Parallel()
	call := func(tool string, state agent.CallState, outcome agent.CallOutcome) *agent.CallItem {
		return &agent.CallItem{ToolCallRequested: agent.ToolCallRequested{Tool: tool}, State: state, Outcome: outcome}
	}
	ok := call("read", agent.CallFinished, agent.CallOK)
	bad := call("read", agent.CallFinished, agent.CallError)
	denied := call("write", agent.CallFinished, agent.CallDenied)
	running := call("write", agent.CallRunning, "")
	hostile := call("\u202eread", agent.CallFinished, agent.CallOK)
	for _, c := range []struct {
		calls []*agent.CallItem
		words string
		mark  stepProps
	}{
		{[]*agent.CallItem{ok, ok, ok, ok}, "4 calls of read", callStep(ok)},
		{[]*agent.CallItem{ok, bad, ok, denied}, "4 calls of read and 1 other tool, 2 failed or not run", callStep(denied)},
		{[]*agent.CallItem{bad, ok, ok, ok, running}, "5 calls of read and 1 other tool, 1 running, 1 failed or not run", callStep(running)},
		{[]*agent.CallItem{hostile, ok, ok, ok}, "4 calls of [U+202E]read and 1 other tool", callStep(ok)},
	} {
		i := &agent.CallsItem{Calls: c.calls}
		if got := callsWords(i); got != c.words {
			t.Errorf("got %q, want %q", got, c.words)
		}
		if got := callsStep(i); got != c.mark {
			t.Errorf("%s: mark %+v, want %+v", c.words, got, c.mark)
		}
	}
}
