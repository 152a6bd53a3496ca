package agent_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"countersign/agent"
)

// A key decides as the application's policy, gives no grants, and what it
// allowed is no less allowed when the rest of the card expires.
func TestDecide_ByKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, twoTools, "", twoCalls)
		robot := agent.Actor{User: "ann", Name: "Ann", Key: "k_1", KeyName: "Robot"}
		card := s.card(t)
		granting := verdict(card.Calls[0], agent.VerdictAllow)
		granting.Grant = true
		if err := s.Engine.Decide(t.Context(), s.run, card.Interaction, robot, []agent.CallDecision{granting}); !errors.As(err, new(*agent.InputError)) {
			t.Errorf("a grant: got %v, want InputError", err)
		}
		first := []agent.CallDecision{verdict(card.Calls[0], agent.VerdictAllow)}
		for range 2 {
			if err := s.Engine.Decide(t.Context(), s.run, card.Interaction, robot, first); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Engine.Decide(t.Context(), s.run, card.Interaction, ann, first); !errors.Is(err, agent.ErrNotWaiting) {
			t.Errorf("the person after their key: got %v, want ErrNotWaiting", err)
		}
		if d := newest[agent.ApprovalDecision](t, s); d.Origin != agent.OriginApplicationPolicy || d.By != robot || d.Lapsed() {
			t.Errorf("the decision is %+v", d)
		}
		if err := s.Await(s.run.Conversation, 2*agent.DefaultApproval, agent.StatusSucceeded); err != nil {
			t.Fatal(err)
		}
		outcomes := make(map[agent.CallID]agent.CallOutcome)
		for _, r := range s.Memory.Records(s.run.Conversation) {
			if e, ok := r.Event.(agent.ToolCallFinished); ok {
				outcomes[e.Call] = e.Outcome
			}
		}
		if got := outcomes[card.Calls[0].Call]; got != agent.CallOK {
			t.Errorf("the call that the key allowed is %s", got)
		}
		if got := outcomes[card.Calls[1].Call]; got != agent.CallExpired {
			t.Errorf("the call that nobody decided is %s", got)
		}
	})
}
