package agent_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/agent/journaltest"
	"countersign/providers"
)

// A survivor is a server that takes over a journal and answers whatever is
// asked of it.
type survivor struct {
	*agenttest.Server
	tools []*agenttest.Tool

	mu       sync.Mutex
	requests []providers.Request
}

// judgements are what a reviewer may say.
var judgements = []string{
	`{"verdict":"allow","reason":"Asked for."}`, `{"verdict":"deny","reason":"Not asked for."}`, `{"verdict":"unsure"}`, `Yes.`,
}

// Stream asks for the first tool once and then answers.
func (s *survivor) Stream(_ context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	end := providers.Finish{Reason: providers.FinishStop, Text: "Done."}
	if req.Model == "judge" {
		end.Text = judgements[len(s.requests)%len(judgements)]
		return yields(end)(nil, req)
	}
	if len(s.requests) == 1 && len(req.Tools) > 0 {
		end = providers.Finish{Reason: providers.FinishToolCalls, Calls: []providers.ToolCall{
			{ID: "call_1", Name: req.Tools[0].Name, Arguments: oneQuestion, Executable: true},
		}}
	}
	return yields(end)(nil, req)
}

// takeOver starts an engine on what a killed server left.
func takeOver(t *testing.T, p *agenttest.Played, left *journaltest.Memory) *survivor {
	t.Helper()
	if records := left.Records(agenttest.Conversation); len(records) > 0 {
		<-time.After(time.Until(records[len(records)-1].At)) // each bubble has a clock of its own
	}
	tools, err := agenttest.ParseTools(p.Scenario.Tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		tool.Does = func(context.Context, *agenttest.Gate) (agent.Result, error) {
			return agent.Result{Text: "Done."}, nil
		}
	}
	s := &survivor{tools: tools}
	options := p.Options
	options.Refused = nil
	s.Server = agenttest.NewServer(t, agenttest.Config{Provider: s, Memory: left, Tools: s.tools, Options: options, IDs: 1000})
	return s
}

// settle decides whatever waits for a person until nothing is under way any
// more. The choice picks what a person says.
func (s *survivor) settle(t *testing.T, choice int) {
	t.Helper()
	ctx := context.Background()
	for range 100 {
		synctest.Wait()
		head, err := s.Memory.Head(ctx, agenttest.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		if !head.Busy() {
			return
		}
		ref := agent.RunRef{Conversation: agenttest.Conversation, Run: head.Run.ID}
		run := &agent.RunState{}
		for r := range s.Memory.ReadRun(ctx, ref.Conversation, ref.Run) {
			run.Apply(r)
		}
		choice++
		switch {
		case run.Approval != nil:
			err = s.Engine.Decide(ctx, ref, run.Approval.Interaction, ann, verdicts(run, choice))
		case run.Reconcile != nil:
			answer := []agent.ReconcileAnswer{agent.ReconcileHappened, agent.ReconcileNotHappened, agent.ReconcileRunAgain}[choice%3]
			err = s.Engine.Reconcile(ctx, ref, agent.ReconcileAnswered{Interaction: run.Reconcile.Interaction, Answer: answer, By: ann})
		case run.Safety != nil:
			answer := []agent.SafetyAnswer{agent.SafetyContinue, agent.SafetyStop}[choice%2]
			err = s.Engine.AnswerSafety(ctx, ref, agent.SafetyAnswered{Interaction: run.Safety.Interaction, Answer: answer, By: ann})
		case run.Question != nil && choice%3 == 0:
			_, err = s.Engine.Send(ctx, ref.Conversation, agent.SendMessage{Message: "m-answer", Text: "Any.", Author: ann})
		case run.Question != nil && choice%3 == 1:
			<-time.After(time.Until(run.Question.ExpiresAt))
		case run.Question != nil:
			err = s.Engine.Answer(ctx, ref, run.Question.Interaction, ann, make([]agent.Answer, len(run.Question.Questions)))
		case head.Run.Status.Waiting():
			t.Fatalf("the run is %s, and for nothing", head.Run.Status)
		default:
			<-time.After(time.Minute) // a retry waits
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the run does not come to an end")
}

func verdicts(run *agent.RunState, choice int) []agent.CallDecision {
	var list []agent.CallDecision
	for i, c := range run.Approval.Calls {
		if run.Call(c.Call).Decision == nil {
			v := verdict(c, []agent.Verdict{agent.VerdictAllow, agent.VerdictDeny}[(choice+i)%2])
			v.Grant = v.Verdict == agent.VerdictAllow && choice%3 == 0 && run.Call(c.Call).Grantable()
			list = append(list, v)
		}
	}
	return list
}

// Whatever a killed server left, the next one brings to a legal end: nothing is
// stuck, every call has one result, and nothing ran twice unless it may.
func TestRecovery_FromEveryAppend(t *testing.T) {
	t.Parallel()
	eachJournal(t, func(t *testing.T, p *agenttest.Played, _ []agent.Record) {
		for n, at := range p.Memory.Appends(agenttest.Conversation) {
			synctest.Test(t, func(t *testing.T) {
				s := takeOver(t, p, p.Memory.Prefix(agenttest.Conversation, at))
				s.settle(t, n)
				s.Stop()
				agenttest.Check(t, s.Memory, agenttest.Conversation)
				agenttest.CheckRequests(t, s.requests, s.Memory.Outputs(agenttest.Conversation))
				s.checkExecutions(t, at)
			})
			if t.Failed() {
				t.Fatalf("cut after record %d of:\n%s", at, p.Journal)
			}
		}
	})
}

// checkExecutions reports a tool that ran other than the records since a place
// say.
func (s *survivor) checkExecutions(t *testing.T, since agent.Seq) {
	t.Helper()
	starts := map[agent.CallID]int{}
	for _, r := range s.Memory.Records(agenttest.Conversation)[since:] {
		if e, ok := r.Event.(agent.ToolCallStarted); ok {
			starts[e.Call]++
		}
	}
	for _, e := range s.Ran() {
		starts[e.Call]--
	}
	for call, n := range starts {
		if n != 0 {
			t.Errorf("the records say that %s started %d times more than it ran", call, n)
		}
	}
}
