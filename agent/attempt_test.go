package agent_test

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/providers"
)

// A streamFunc is a provider that is one function.
type streamFunc func(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error]

func (f streamFunc) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return f(ctx, req)
}

// yields returns a provider whose every attempt yields the events.
func yields(events ...providers.Event) streamFunc {
	return func(context.Context, providers.Request) iter.Seq2[providers.Event, error] {
		return func(yield func(providers.Event, error) bool) {
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// answer runs one message against a provider until nothing goes on any more,
// and returns the records after the message.
func answer(t *testing.T, p providers.Provider) (records []agent.Record, outputs []agent.Output) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := agenttest.NewServer(t, agenttest.Config{Provider: p})
		sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}})
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Hour)
		s.Stop()
		agenttest.Check(t, s.Memory, sent.Conversation)
		records, outputs = s.Memory.Records(sent.Conversation), s.Memory.Outputs(sent.Conversation)
	})
	return records, outputs
}

func finished(t *testing.T, records []agent.Record) agent.RunFinished {
	t.Helper()
	e, ok := records[len(records)-1].Event.(agent.RunFinished)
	if !ok {
		t.Fatalf("the run ends with %T", records[len(records)-1].Event)
	}
	return e
}

func TestAttempt_EmptyEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[providers.FinishReason]struct {
		status   agent.RunStatus
		stop     string
		attempts int
	}{
		providers.FinishStop:          {agent.StatusFailed, "", 2},
		providers.FinishToolCalls:     {agent.StatusFailed, "", 2},
		providers.FinishPause:         {agent.StatusFailed, "", 2},
		providers.FinishOther:         {agent.StatusFailed, "", 2},
		providers.FinishContentFilter: {agent.StatusFailed, "", 1},
		providers.FinishLength:        {agent.StatusSucceeded, "length", 1},
		providers.FinishContextLength: {agent.StatusSucceeded, "context_length", 1},
		providers.FinishRefusal:       {agent.StatusSucceeded, "refusal", 1},
	} {
		records, _ := answer(t, yields(providers.Finish{Reason: reason}))
		end, attempts := finished(t, records), 0
		for _, r := range records {
			if _, ok := r.Event.(agent.ModelAttemptStarted); ok {
				attempts++
			}
		}
		if end.Status != want.status || end.StopReason != want.stop || end.Answer != "" || attempts != want.attempts {
			t.Errorf("%s: %+v after %d attempts, want %+v", reason, end, attempts, want)
		}
	}
}

// The private state of a message may hold its calls. When those do not run,
// they get no result, and no service takes the state back.
func TestAttempt_ReplayWithoutDroppedCalls(t *testing.T) {
	t.Parallel()
	replay := &providers.Replay{Binding: "b", State: []byte(`{}`)}
	calls := []providers.ToolCall{{ID: "call_1", Name: "save", Arguments: "{}"}}
	for name, c := range map[string]struct {
		finish providers.Finish
		want   *providers.Replay
	}{
		"answer":      {providers.Finish{Reason: providers.FinishStop, Text: "Hi.", Replay: replay}, replay},
		"cut":         {providers.Finish{Reason: providers.FinishLength, Text: "H", Replay: replay}, replay},
		"cut in call": {providers.Finish{Reason: providers.FinishLength, Text: "Hi.", Calls: calls, Replay: replay}, nil},
	} {
		_, outputs := answer(t, yields(c.finish))
		if diff := cmp.Diff(c.want, outputs[0].Replay); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A provider that breaks its contract fails the run with a fault of ours, and
// one that panics takes nothing else with it.
func TestAttempt_BrokenProvider(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]providers.Provider{
		"no finish": yields(providers.TextDelta{Text: "Hi."}),
		"panic": streamFunc(func(context.Context, providers.Request) iter.Seq2[providers.Event, error] {
			panic("a fault")
		}),
	} {
		records, _ := answer(t, p)
		want := agent.RunFinished{Status: agent.StatusFailed, Failure: &agent.Failure{Code: agent.FailInternal}}
		if diff := cmp.Diff(want, finished(t, records)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
