package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
)

// A command is what may come to a run from outside. The error of one that
// comes at the wrong time is not looked at: that it does no harm is what counts.
type command func(ctx context.Context, s *survivor, run *agent.RunState) error

var commands = map[string]command{
	"a crash": func(_ context.Context, s *survivor, _ *agent.RunState) error {
		s.Kill()
		s.Start()
		return nil
	},
	"time": func(context.Context, *survivor, *agent.RunState) error {
		<-time.After(time.Hour)
		return nil
	},
	"cancel": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		return s.Engine.Cancel(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, ann)
	},
	"send": func(ctx context.Context, s *survivor, _ *agent.RunState) error {
		_, err := s.Engine.Send(ctx, agenttest.Conversation, agent.SendMessage{Message: "m-new", Text: "More.", Author: ann})
		return err
	},
	"decide": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		card, list := agent.InteractionID("none"), []agent.CallDecision{{Verdict: agent.VerdictAllow}}
		if run.Approval != nil {
			card, list = run.Approval.Interaction, verdicts(run, 0)
		}
		return s.Engine.Decide(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, card, ann, list)
	},
	"edit": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		card, list := agent.InteractionID("none"), []agent.CallDecision{{Verdict: agent.VerdictAllow}}
		if run.Approval != nil {
			card, list = run.Approval.Interaction, verdicts(run, 1)
			for i := range list {
				list[i].Verdict, list[i].Grant, list[i].Arguments = agent.VerdictAllow, false, `{"edited":true}`
			}
		}
		return s.Engine.Decide(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, card, ann, list)
	},
	"answer": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		question, answers := agent.InteractionID("none"), []agent.Answer{{}}
		if run.Question != nil {
			question, answers = run.Question.Interaction, make([]agent.Answer, len(run.Question.Questions))
		}
		return s.Engine.Answer(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, question, ann, answers)
	},
	"policy": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		switch run.Seq % 3 {
		case 0:
			s.SetRule(agent.PolicyRule{Name: "no more", Do: agent.PolicyDeny, Hard: true})
		case 1:
			s.SetRule(agent.PolicyRule{Name: "go on", Do: agent.PolicyAllow})
		default:
			return s.Engine.StartBypass(ctx, agenttest.Conversation, agent.Actor{User: "ada", Name: "Ada"})
		}
		return nil
	},
	"safety": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		a := agent.SafetyAnswered{Interaction: "none", Answer: agent.SafetyStop, By: ann}
		if run.Safety != nil {
			a.Interaction = run.Safety.Interaction
		}
		return s.Engine.AnswerSafety(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, a)
	},
	"reconcile": func(ctx context.Context, s *survivor, run *agent.RunState) error {
		a := agent.ReconcileAnswered{Interaction: "none", Answer: agent.ReconcileRunAgain, By: ann}
		if run.Reconcile != nil {
			a.Interaction = run.Reconcile.Interaction
		}
		return s.Engine.Reconcile(ctx, agent.RunRef{Conversation: agenttest.Conversation, Run: run.ID}, a)
	},
}

// seen are the moves that were made.
type seen struct {
	mu    sync.Mutex
	moves map[string]bool
	left  map[agent.RunStatus]bool // how a crash left a run
	tried map[string]bool          // what crashes left
}

// try reports whether no crash left the like of this before.
func (m *seen) try(p *agenttest.Played, at agent.Seq) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	what := shape(p, p.Memory.Records(agenttest.Conversation)[:at])
	fresh := !m.tried[what]
	m.tried[what] = true
	return fresh
}

// shape says what can matter of where a conversation stands: all of the newest
// run's state but names, times and texts, and what surrounds it.
func shape(p *agenttest.Played, records []agent.Record) string {
	head, run := &agent.Head{}, &agent.RunState{}
	for _, r := range records {
		head.Apply(r)
	}
	if head.Run != nil {
		for _, r := range records {
			if r.Run == head.Run.ID {
				run.Apply(r)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, p.Options.Limits, p.Options.Rules, head.Archived, len(head.Queue) > 0, len(head.Grants) > 0, head.Bypass != nil, head.Reviews.Stopped(), p.Options.Reviewer.Model, len(head.Answers) > 0)
	fmt.Fprintln(&b, len(p.Options.Safety.Guardrails), p.Options.Safety.Ask, run.Withheld, run.Stop, run.Excused, run.Safety != nil)
	fmt.Fprintln(&b, run.Status, run.Reclaims, run.Step-run.Done, run.Failed, run.Answer != nil,
		run.Attempt != nil, run.Reviewing != nil, run.Retry != nil, run.Approval != nil, run.Question != nil, run.Reconcile != nil)
	for _, c := range run.Calls {
		fmt.Fprint(&b, c.ReadOnly, c.Definition != "", c.Expired, c.Started, c.Asked != nil, c.Answered != nil)
		if c.Decision != nil {
			fmt.Fprint(&b, c.Decision.Verdict, c.Decision.Origin)
		}
		fmt.Fprint(&b, c.Rule != "", c.Review != nil)
		if c.Reconcile != nil {
			fmt.Fprint(&b, c.Reconcile.Answer)
		}
		if c.Finished != nil {
			fmt.Fprint(&b, c.Finished.Outcome)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func (m *seen) add(records []agent.Record, left agent.Seq) {
	m.mu.Lock()
	defer m.mu.Unlock()
	runs := map[agent.RunID]*agent.RunState{}
	for _, r := range records {
		if r.Run == "" {
			continue
		}
		if runs[r.Run] == nil {
			runs[r.Run] = &agent.RunState{}
		}
		m.moves[fmt.Sprintf("%s in %q", r.Event.Kind(), runs[r.Run].Status)] = true
		runs[r.Run].Apply(r)
		if r.Seq == left {
			m.left[runs[r.Run].Status] = true
		}
	}
}

// Every command may come to every state that a crash can leave, before anything
// else or when all is still: the run makes legal moves only and comes to a legal
// end. Between them, the scenarios and their ends make every legal move there is.
func TestMoves_EveryCommandAfterEveryCrash(t *testing.T) {
	t.Parallel()
	made := &seen{moves: map[string]bool{}, left: map[agent.RunStatus]bool{}, tried: map[string]bool{}}
	t.Run("scenarios", func(t *testing.T) {
		eachJournal(t, func(t *testing.T, p *agenttest.Played, records []agent.Record) {
			made.add(records, 0)
			for n, at := range p.Memory.Appends(agenttest.Conversation) {
				if !made.try(p, at) {
					continue
				}
				for name, c := range commands {
					synctest.Test(t, func(t *testing.T) {
						s := takeOver(t, p, p.Memory.Prefix(agenttest.Conversation, at))
						if (n+len(name))%2 == 0 { // now when all is still, now before anything else
							synctest.Wait()
						}
						s.command(t, c)
						s.settle(t, n)
						s.Stop()
						agenttest.Check(t, s.Memory, agenttest.Conversation)
						made.add(s.Memory.Records(agenttest.Conversation), at)
					})
					if t.Failed() {
						t.Fatalf("%s after record %d of:\n%s", name, at, p.Journal)
					}
				}
			}
		})
	})
	t.Logf("%d states that crashes left, %d commands after each, %d moves", len(made.tried), len(commands), len(made.moves))
	for _, status := range agent.Statuses {
		if status != agent.StatusNone && !made.left[status] {
			t.Errorf("no crash left a run %q", status)
		}
		for _, kind := range agent.Kinds() {
			if move := fmt.Sprintf("%s in %q", kind, status); agent.Legal(status, kind) && !made.moves[move] {
				t.Errorf("nothing makes the move %s", move)
			}
		}
	}
}

// command carries one out on the newest run.
func (s *survivor) command(t *testing.T, c command) {
	t.Helper()
	head, err := s.Memory.Head(t.Context(), agenttest.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if head.Run == nil {
		return
	}
	run := &agent.RunState{}
	for r, err := range s.Memory.ReadRun(t.Context(), agenttest.Conversation, head.Run.ID) {
		if err != nil {
			t.Fatal(err)
		}
		run.Apply(r)
	}
	var input *agent.InputError
	if err := c(t.Context(), s, run); err != nil && !errors.Is(err, agent.ErrNotWaiting) && !errors.As(err, &input) {
		t.Fatal(err)
	}
}
