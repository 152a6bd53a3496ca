package agent_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/providers"
)

// rounds is how often each race is run.
const rounds = 50

var bob = agent.Actor{User: "bob", Name: "Bob"}

// race does things at the same moment and returns their errors.
func race(things ...func() error) []error {
	errs := make([]error, len(things))
	var ready, done sync.WaitGroup
	ready.Add(len(things))
	for i, do := range things {
		done.Go(func() {
			ready.Done()
			ready.Wait()
			errs[i] = do()
		})
	}
	done.Wait()
	return errs
}

const oneCall = `
	call call_1 save {"n":1}
	finish tool_calls
	---
	text "Done."
	finish stop
`

// A duel is a run with one open call, in real time.
func duel(t *testing.T, options string) (*setting, agent.ApprovalRequested) {
	t.Helper()
	s := begin(t, `save writing answers "Saved."`, options, oneCall)
	return s, s.card(t)
}

// decides returns what has a person decide the only call.
func (s *setting) decides(t *testing.T, card agent.ApprovalRequested, by agent.Actor, v agent.Verdict) func() error {
	return func() error {
		return s.Engine.Decide(t.Context(), s.run, card.Interaction, by, []agent.CallDecision{verdict(card.Calls[0], v)})
	}
}

// over waits for the end and returns the status, how often the tool ran and
// how many decisions there are.
func (s *setting) over(t *testing.T) (status agent.RunStatus, ran, decisions int) {
	t.Helper()
	s.await(t, ends...)
	s.Stop()
	agenttest.Check(t, s.Memory, s.run.Conversation)
	for _, r := range s.Memory.Records(s.run.Conversation) {
		if _, ok := r.Event.(agent.ApprovalDecision); ok {
			decisions++
		}
	}
	return s.status(t), len(s.Ran()), decisions
}

func wins(errs []error) int {
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

func onlyLate(t *testing.T, errs []error) {
	t.Helper()
	for _, err := range errs {
		if err != nil && !errors.Is(err, agent.ErrNotWaiting) {
			t.Errorf("got %v, want ErrNotWaiting", err)
		}
	}
}

// Two tabs of one person approve: both are told yes, and the tool runs once.
func TestRace_ApproveTwice(t *testing.T) {
	t.Parallel()
	for range rounds {
		s, card := duel(t, "")
		errs := race(s.decides(t, card, ann, agent.VerdictAllow), s.decides(t, card, ann, agent.VerdictAllow))
		status, ran, decisions := s.over(t)
		if wins(errs) != 2 || status != agent.StatusSucceeded || ran != 1 || decisions != 1 {
			t.Fatalf("%v: %s, ran %d times after %d decisions", errs, status, ran, decisions)
		}
	}
}

// Two people decide: one of them does, whatever they say.
func TestRace_TwoPeople(t *testing.T) {
	t.Parallel()
	for _, second := range []agent.Verdict{agent.VerdictAllow, agent.VerdictDeny} {
		for range rounds {
			s, card := duel(t, "")
			errs := race(s.decides(t, card, ann, agent.VerdictAllow), s.decides(t, card, bob, second))
			onlyLate(t, errs)
			want := 1
			if errs[0] != nil && second == agent.VerdictDeny {
				want = 0
			}
			status, ran, decisions := s.over(t)
			if wins(errs) != 1 || status != agent.StatusSucceeded || ran != want || decisions != 1 {
				t.Fatalf("%v: %s, ran %d times after %d decisions, want %d", errs, status, ran, decisions, want)
			}
		}
	}
}

// One person approves in one tab and denies in the other.
func TestRace_ApproveDeny(t *testing.T) {
	t.Parallel()
	for range rounds {
		s, card := duel(t, "")
		errs := race(s.decides(t, card, ann, agent.VerdictAllow), s.decides(t, card, ann, agent.VerdictDeny))
		onlyLate(t, errs)
		status, ran, decisions := s.over(t)
		if wins(errs) != 1 || status != agent.StatusSucceeded || (ran == 1) != (errs[0] == nil) || decisions != 1 {
			t.Fatalf("%v: %s, ran %d times after %d decisions", errs, status, ran, decisions)
		}
	}
}

// Stop always succeeds. An approval that came too late for it runs nothing.
func TestRace_ApproveCancel(t *testing.T) {
	t.Parallel()
	for range rounds {
		s, card := duel(t, "")
		errs := race(
			s.decides(t, card, ann, agent.VerdictAllow),
			func() error { return s.Engine.Cancel(t.Context(), s.run, ann) },
		)
		onlyLate(t, errs)
		status, ran, _ := s.over(t)
		switch {
		case errs[1] != nil, ran > 1:
			t.Fatalf("%v: ran %d times", errs, ran)
		case errs[0] != nil && (status != agent.StatusCancelled || ran > 0):
			t.Fatalf("the approval lost, and yet the run %s and ran %d times", status, ran)
		case status == agent.StatusSucceeded && ran != 1:
			t.Fatalf("the run %s without its tool", status)
		}
	}
}

// An approval at the moment of the expiry holds or is too late; there is one
// decision in either case.
func TestRace_ApproveExpire(t *testing.T) {
	t.Parallel()
	for range rounds {
		s, card := duel(t, "approval 20ms")
		<-time.After(time.Until(card.ExpiresAt) - 100*time.Microsecond)
		errs := race(s.decides(t, card, ann, agent.VerdictAllow))
		onlyLate(t, errs)
		status, ran, decisions := s.over(t)
		if status != agent.StatusSucceeded || (ran == 1) != (errs[0] == nil) || decisions != 1 {
			t.Fatalf("%v: %s, ran %d times after %d decisions", errs, status, ran, decisions)
		}
	}
}

// A message that is sent twice at once starts one run, or waits once.
func TestRace_SendTwice(t *testing.T) {
	t.Parallel()
	for n := range rounds {
		s := &setting{Server: agenttest.NewServer(t, agenttest.Config{Provider: yields(providers.Finish{Reason: providers.FinishStop, Text: "Done."})})}
		first := agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "One.", Author: ann}}
		s.run.Conversation = agent.ConversationFor(ann.User, "m1")
		create := func() error {
			_, err := s.Engine.Create(t.Context(), first)
			return err
		}
		errs := race(create, create)
		if n%2 == 0 { // otherwise the run may still be under way
			s.await(t, ends...)
		}
		send := func() error {
			_, err := s.Engine.Send(t.Context(), s.run.Conversation, agent.SendMessage{Message: "m2", Text: "Two.", Author: ann})
			return err
		}
		errs = append(errs, race(send, send, send)...)
		if wins(errs) != len(errs) {
			t.Fatalf("%v", errs)
		}
		s.await(t, ends...) // the first run ends and the second begins in one append
		s.Stop()
		agenttest.Check(t, s.Memory, s.run.Conversation)
		messages := map[agent.MessageID]int{}
		for _, r := range s.Memory.Records(s.run.Conversation) {
			if e, ok := r.Event.(agent.UserMessage); ok {
				messages[e.Message]++
			}
		}
		if messages["m1"] != 1 || messages["m2"] != 1 {
			t.Fatalf("runs by message: %v", messages)
		}
	}
}
