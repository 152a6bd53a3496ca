package agent_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/providers"
)

// A worker whose run went to another one writes nothing any more, whatever it
// comes back with: here a slept process and its successor work on one journal.
func TestWorker_IsFencedOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls int
		tool := &agenttest.Tool{Name: "look", ReadOnly: true, Does: func(context.Context, *agenttest.Gate) (agent.Result, error) {
			calls++
			if calls == 1 { // the old worker's
				<-release
				return agent.Result{Text: "Old."}, nil
			}
			return agent.Result{Text: "New."}, nil
		}}
		s := agenttest.NewServer(t, agenttest.Config{Tools: []*agenttest.Tool{tool}, Provider: play(t, `
			call call_1 look {}
			finish tool_calls
			---
			expect result "New."
			gate answer
			text "Done."
			finish stop
		`)})
		if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		old := s.Engine
		s.Start()
		synctest.Wait()
		before := len(s.Memory.Records(agenttest.Conversation))
		close(release)
		synctest.Wait()
		if after := len(s.Memory.Records(agenttest.Conversation)); after != before {
			t.Errorf("the old worker wrote: %v", s.Memory.Records(agenttest.Conversation)[before:])
		}
		if err := old.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		agenttest.Check(t, s.Memory, agenttest.Conversation)
	})
}

// Stop closes the request to the provider, and tells a tool that runs.
func TestCancel_ReachesWhatRuns(t *testing.T) {
	t.Parallel()
	for _, inTool := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var cause error
			wait := func(ctx context.Context) error {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return cause
			}
			p := streamFunc(func(ctx context.Context, _ providers.Request) iter.Seq2[providers.Event, error] {
				return func(yield func(providers.Event, error) bool) {
					if inTool {
						yield(providers.Finish{Reason: providers.FinishToolCalls, Calls: []providers.ToolCall{{Name: "look", Executable: true}}}, nil)
						return
					}
					yield(nil, wait(ctx))
				}
			})
			tool := &agenttest.Tool{Name: "look", ReadOnly: true, Does: func(ctx context.Context, _ *agenttest.Gate) (agent.Result, error) {
				return agent.Result{}, wait(ctx)
			}}
			s := agenttest.NewServer(t, agenttest.Config{Provider: p, Tools: []*agenttest.Tool{tool}})
			sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if err := s.Engine.Cancel(t.Context(), agent.RunRef{Conversation: sent.Conversation, Run: sent.Run}, ann); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if cause != agent.ErrStopped {
				t.Errorf("in a tool %v: ended with %v, want ErrStopped", inTool, cause)
			}
		})
	}
}

// A call that the adapter does not vouch for runs nothing, whatever its name.
func TestCall_NotExecutable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool := &agenttest.Tool{Name: "look", ReadOnly: true, Does: func(context.Context, *agenttest.Gate) (agent.Result, error) {
			return agent.Result{Text: "It rains."}, nil
		}}
		end := providers.Finish{Reason: providers.FinishToolCalls, Calls: []providers.ToolCall{{ID: "call_1", Name: "look", Arguments: "{}"}}}
		s := agenttest.NewServer(t, agenttest.Config{Provider: yields(end), Tools: []*agenttest.Tool{tool}})
		if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if n := len(tool.Ran()); n > 0 {
			t.Errorf("it ran %d times", n)
		}
		agenttest.Check(t, s.Memory, agenttest.Conversation)
	})
}
