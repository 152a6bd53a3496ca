package agent_test

import (
	"testing"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
)

const asksOnce = "call call_1 ask " + oneQuestion + "\nfinish tool_calls\n---\ntext \"Done.\"\nfinish stop\n---\ntext \"Done.\"\nfinish stop"

// answers returns what has a person choose an option.
func (s *setting) answers(t *testing.T, q agent.QuestionAsked, by agent.Actor, label string) func() error {
	return func() error {
		return s.Engine.Answer(t.Context(), s.run, q.Interaction, by, []agent.Answer{{Selected: []string{label}}})
	}
}

// told waits for the end and returns the answers on record and what the model
// was told.
func (s *setting) told(t *testing.T) (answers []agent.QuestionAnswered, results []agent.ToolCallFinished) {
	t.Helper()
	s.await(t, ends...)
	s.Stop()
	agenttest.Check(t, s.Memory, s.run.Conversation)
	for _, r := range s.Memory.Records(s.run.Conversation) {
		switch e := r.Event.(type) {
		case agent.QuestionAnswered:
			answers = append(answers, e)
		case agent.ToolCallFinished:
			results = append(results, e)
		}
	}
	return answers, results
}

// Two tabs give the same answer, or two: one is on record, and the model is
// told that one.
func TestRace_AnswerTwice(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"District 1", "District 3"} {
		for range rounds {
			s := begin(t, "ask asks", "", asksOnce)
			q := s.question(t)
			errs := race(s.answers(t, q, ann, "District 1"), s.answers(t, q, ann, second))
			onlyLate(t, errs)
			want := 1
			if second == "District 1" {
				want = 2
			}
			answers, results := s.told(t)
			if wins(errs) != want || len(answers) != 1 || len(results) != 1 {
				t.Fatalf("%v: %d answers, %d results", errs, len(answers), len(results))
			}
		}
	}
}

// A message and an answer at the same moment: one of them is the answer. A
// message that is not, starts the next run.
func TestRace_AnswerMessage(t *testing.T) {
	t.Parallel()
	for range rounds {
		s := begin(t, "ask asks", "", asksOnce)
		q := s.question(t)
		var sent agent.Sent
		errs := race(s.answers(t, q, ann, "District 1"), func() (err error) {
			sent, err = s.Engine.Send(t.Context(), s.run.Conversation, agent.SendMessage{Message: "m2", Text: "Any.", Author: ann})
			return err
		})
		onlyLate(t, errs)
		if errs[1] != nil {
			t.Fatal(errs[1])
		}
		s.await(t, ends...)
		answers, _ := s.told(t)
		messages := 0
		for _, r := range s.Memory.Records(s.run.Conversation) {
			if _, ok := r.Event.(agent.UserMessage); ok {
				messages++
			}
		}
		byMessage := sent.Run == s.run.Run
		switch {
		case len(answers) != 1, byMessage != (answers[0].Message == "m2"), byMessage == (errs[0] == nil), byMessage != (messages == 1):
			t.Fatalf("%v: by message %v, %d answers, %d messages", errs, byMessage, len(answers), messages)
		}
	}
}

// An answer at the moment of the expiry holds or is too late.
func TestRace_AnswerExpire(t *testing.T) {
	t.Parallel()
	for range rounds {
		s := begin(t, "ask asks", "question 20ms", asksOnce)
		q := s.question(t)
		<-time.After(time.Until(q.ExpiresAt) - 100*time.Microsecond)
		errs := race(s.answers(t, q, ann, "District 1"))
		onlyLate(t, errs)
		answers, results := s.told(t)
		if (len(answers) == 1) != (errs[0] == nil) || len(results) != 1 || (results[0].Outcome == agent.CallExpired) != (errs[0] != nil) {
			t.Fatalf("%v: %d answers, results %v", errs, len(answers), results)
		}
	}
}

// Stop always succeeds, and leaves one result.
func TestRace_AnswerCancel(t *testing.T) {
	t.Parallel()
	for range rounds {
		s := begin(t, "ask asks", "", asksOnce)
		q := s.question(t)
		errs := race(s.answers(t, q, ann, "District 1"), func() error { return s.Engine.Cancel(t.Context(), s.run, ann) })
		onlyLate(t, errs)
		answers, results := s.told(t)
		if errs[1] != nil || len(results) != 1 || (len(answers) == 1) != (errs[0] == nil) || (results[0].Outcome == agent.CallOK) != (errs[0] == nil) {
			t.Fatalf("%v: %d answers, results %v", errs, len(answers), results)
		}
	}
}

const twoSaves = "call call_1 save {}\nfinish tool_calls\n---\ncall call_2 save {}\nfinish tool_calls\n---\ntext \"Done.\"\nfinish stop"

// grants returns what has a person allow the only call for the conversation.
func (s *setting) grants(t *testing.T, card agent.ApprovalRequested, by agent.Actor) func() error {
	return func() error {
		v := verdict(card.Calls[0], agent.VerdictAllow)
		v.Grant = true
		return s.Engine.Decide(t.Context(), s.run, card.Interaction, by, []agent.CallDecision{v})
	}
}

// Allowing once and allowing for the conversation at the same moment: a grant
// exists only if the one who gave it won.
func TestRace_ApproveGrant(t *testing.T) {
	t.Parallel()
	for range rounds {
		s := begin(t, `save writing answers "Saved."`, "", twoSaves)
		card := s.card(t)
		errs := race(s.decides(t, card, bob, agent.VerdictAllow), s.grants(t, card, ann))
		onlyLate(t, errs)
		s.await(t, append(ends, agent.StatusWaitingApproval)...)
		h, err := s.Memory.Head(t.Context(), s.run.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		granted := errs[1] == nil
		if wins(errs) != 1 || (len(h.Grants) == 1) != granted {
			t.Fatalf("%v: grants %v", errs, h.Grants)
		}
		if !granted { // the second call asks
			if err := s.decides(t, s.card(t), ann, agent.VerdictAllow)(); err != nil {
				t.Fatal(err)
			}
		}
		if status, ran, decisions := s.over(t); status != agent.StatusSucceeded || ran != 2 || decisions != 2 {
			t.Fatalf("%s, ran %d times after %d decisions", status, ran, decisions)
		}
	}
}

// A grant that is revoked as it is used has allowed a call, or the call asks;
// agenttest.Check sees to it that no call used a grant that was gone.
func TestRace_GrantRevoke(t *testing.T) {
	t.Parallel()
	for range rounds {
		s := begin(t, `save writing answers "Saved."`, "", twoSaves)
		if err := s.grants(t, s.card(t), ann)(); err != nil {
			t.Fatal(err)
		}
		grant := newest[agent.GrantCreated](t, s).Grant
		revoke := func() error { return s.Engine.Revoke(t.Context(), s.run.Conversation, grant, ann) }
		if errs := race(revoke, revoke); wins(errs) != 2 {
			t.Fatal(errs)
		}
		s.await(t, append(ends, agent.StatusWaitingApproval)...)
		if s.status(t) == agent.StatusWaitingApproval {
			if err := s.decides(t, s.card(t), ann, agent.VerdictAllow)(); err != nil {
				t.Fatal(err)
			}
		}
		if status, ran, decisions := s.over(t); status != agent.StatusSucceeded || ran != 2 || decisions != 2 {
			t.Fatalf("%s, ran %d times after %d decisions", status, ran, decisions)
		}
	}
}
