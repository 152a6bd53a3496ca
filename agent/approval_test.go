package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/providers/scripted"
)

var ann = agent.Actor{User: "ann", Name: "Ann"}

// A setting is a server with one run under way.
type setting struct {
	*agenttest.Server
	run agent.RunRef
}

// begin starts the run of a script, with tools and options as in a scenario. It
// returns when the run waits or is over.
func begin(t *testing.T, tools, options, script string) *setting {
	t.Helper()
	list, err := agenttest.ParseTools(tools)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	parsedOptions, err := agenttest.ParseOptions(options)
	if err != nil {
		t.Fatal(err)
	}
	s := &setting{Server: agenttest.NewServer(t, agenttest.Config{
		Provider: scripted.NewProvider(scripted.NewStage(parsed)), Tools: list, Options: parsedOptions,
	})}
	sent, err := s.Engine.Create(t.Context(), agent.NewConversation{
		Agent: agent.Agent{ID: "agent"}, SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.run = agent.RunRef{Conversation: sent.Conversation, Run: sent.Run}
	s.await(t, append(ends, agent.StatusWaitingApproval, agent.StatusWaitingInput)...)
	return s
}

var ends = []agent.RunStatus{agent.StatusSucceeded, agent.StatusFailed, agent.StatusCancelled}

func (s *setting) await(t *testing.T, statuses ...agent.RunStatus) {
	t.Helper()
	if err := s.Await(s.run.Conversation, time.Minute, statuses...); err != nil {
		t.Fatal(err)
	}
}

// card returns the newest card of the run.
func (s *setting) card(t *testing.T) agent.ApprovalRequested {
	t.Helper()
	return newest[agent.ApprovalRequested](t, s)
}

// newest returns the newest event of a kind.
func newest[E agent.Event](t *testing.T, s *setting) E {
	t.Helper()
	for _, r := range slices.Backward(s.Memory.Records(s.run.Conversation)) {
		if e, ok := r.Event.(E); ok {
			return e
		}
	}
	t.Fatalf("there is no %T", *new(E))
	panic("unreachable")
}

// status returns where the newest run stands.
func (s *setting) status(t *testing.T) agent.RunStatus {
	t.Helper()
	h, err := s.Memory.Head(context.Background(), s.run.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	return h.Run.Status
}

func verdict(c agent.BoundCall, v agent.Verdict) agent.CallDecision {
	return agent.CallDecision{Call: c.Call, Binding: c.Binding, Verdict: v}
}

const twoCalls = `
	call call_1 save {"n":1}
	call call_2 save {"n":2}
	call call_3 look {}
	finish tool_calls
	---
	text "Done."
	finish stop
`

const twoTools = `
	save writing answers "Saved."
	look read_only answers "It rains."
`

// A list of verdicts is taken whole or not at all, and closes a card only when
// every call on it was decided.
func TestDecide_RefusedLists(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]func(card agent.ApprovalRequested, look agent.BoundCall) []agent.CallDecision{
		"one call twice": func(card agent.ApprovalRequested, _ agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(card.Calls[0], agent.VerdictAllow), verdict(card.Calls[0], agent.VerdictAllow)}
		},
		"one call twice, otherwise": func(card agent.ApprovalRequested, _ agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(card.Calls[0], agent.VerdictAllow), verdict(card.Calls[0], agent.VerdictDeny)}
		},
		"a call of the step that is not on the card": func(card agent.ApprovalRequested, look agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(card.Calls[0], agent.VerdictAllow), verdict(look, agent.VerdictAllow)}
		},
		"no such call": func(card agent.ApprovalRequested, _ agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(card.Calls[0], agent.VerdictAllow), verdict(agent.BoundCall{Call: "call-9"}, agent.VerdictAllow)}
		},
		"the binding of the other call": func(card agent.ApprovalRequested, _ agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(agent.BoundCall{Call: card.Calls[0].Call, Binding: card.Calls[1].Binding}, agent.VerdictAllow)}
		},
		"no binding": func(card agent.ApprovalRequested, _ agent.BoundCall) []agent.CallDecision {
			return []agent.CallDecision{verdict(agent.BoundCall{Call: card.Calls[0].Call}, agent.VerdictAllow)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := begin(t, twoTools, "", twoCalls)
				card := s.card(t)
				before := len(s.Memory.Records(s.run.Conversation))
				err := s.Engine.Decide(t.Context(), s.run, card.Interaction, ann, list(card, boundLook(t)))
				if !errors.Is(err, agent.ErrNotWaiting) {
					t.Errorf("got %v, want ErrNotWaiting", err)
				}
				if after := len(s.Memory.Records(s.run.Conversation)); after != before || s.status(t) != agent.StatusWaitingApproval {
					t.Errorf("%d records became %d, and the run is %s", before, after, s.status(t))
				}
			})
		})
	}
}

// boundLook returns the call of the tool look with its binding, which a run of
// the same script shows when the call begins.
func boundLook(t *testing.T) agent.BoundCall {
	t.Helper()
	s := begin(t, twoTools, "", twoCalls)
	card := s.card(t)
	all := []agent.CallDecision{verdict(card.Calls[0], agent.VerdictDeny), verdict(card.Calls[1], agent.VerdictDeny)}
	if err := s.Engine.Decide(t.Context(), s.run, card.Interaction, ann, all); err != nil {
		t.Fatal(err)
	}
	s.await(t, ends...)
	for _, r := range s.Memory.Records(s.run.Conversation) {
		if e, ok := r.Event.(agent.ToolCallStarted); ok {
			return agent.BoundCall{Call: e.Call, Binding: e.Binding}
		}
	}
	t.Fatal("nothing called look")
	panic("unreachable")
}

// decides returns what has a person decide the only call.
func (s *setting) decides(t *testing.T, card agent.ApprovalRequested, by agent.Actor, v agent.Verdict) func() error {
	return func() error {
		return s.Engine.Decide(t.Context(), s.run, card.Interaction, by, []agent.CallDecision{verdict(card.Calls[0], v)})
	}
}
