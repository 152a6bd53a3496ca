package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/agent/journaltest"
	"countersign/providers"
	"countersign/providers/scripted"
)

// play returns a provider for a script.
func play(t *testing.T, script string) *scripted.Provider {
	t.Helper()
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	return scripted.NewProvider(scripted.NewStage(parsed))
}

func isInputError(err error) bool {
	var refused *agent.InputError
	return errors.As(err, &refused) && refused.Message != ""
}

func TestSend_Refused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, `save writing answers "Saved."`, "", oneCall)
		for name, m := range map[string]agent.SendMessage{
			"nothing":       {Message: "m2"},
			"white space":   {Message: "m2", Text: " \n\t "},
			"no id":         {Text: "Hi."},
			"a long id":     {Message: agent.MessageID(strings.Repeat("m", 65)), Text: "Hi."},
			"not UTF-8":     {Message: "m2", Text: "a\xff"},
			"over 128 KiB":  {Message: "m2", Text: strings.Repeat("x", agent.MaxMessage+1)},
			"over in bytes": {Message: "m2", Text: strings.Repeat("€", agent.MaxMessage/3+1)},
		} {
			if _, err := s.Engine.Send(t.Context(), s.run.Conversation, m); !isInputError(err) {
				t.Errorf("send, %s: %v", name, err)
			}
			if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: m}); !isInputError(err) {
				t.Errorf("create, %s: %v", name, err)
			}
			if err := s.Engine.EditQueued(t.Context(), s.run.Conversation, m); !isInputError(err) {
				t.Errorf("edit, %s: %v", name, err)
			}
		}
		full := agent.SendMessage{Message: "m2", Text: strings.Repeat("x", agent.MaxMessage), Author: ann}
		if sent, err := s.Engine.Send(t.Context(), s.run.Conversation, full); err != nil || !sent.Queued {
			t.Errorf("a message of 128 KiB: %+v, %v", sent, err)
		}
		if _, err := s.Engine.Send(t.Context(), "c_unknown", full); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("send to nowhere: %v", err)
		}
	})
}

func TestSend_QueueIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, `save writing answers "Saved."`, "", oneCall)
		send := func(n int) (agent.Sent, error) {
			id := agent.MessageID(fmt.Sprintf("queued-%d", n))
			return s.Engine.Send(t.Context(), s.run.Conversation, agent.SendMessage{Message: id, Text: "More.", Author: ann})
		}
		for n := range agent.DefaultQueue {
			if sent, err := send(n); err != nil || !sent.Queued {
				t.Fatalf("message %d: %+v, %v", n, sent, err)
			}
		}
		if _, err := send(agent.DefaultQueue); !isInputError(err) {
			t.Errorf("one too many: %v", err)
		}
		if sent, err := send(0); err != nil || !sent.Queued {
			t.Errorf("one that waits already: %+v, %v", sent, err)
		}
		if err := s.Engine.RemoveQueued(t.Context(), s.run.Conversation, "queued-3"); err != nil {
			t.Error(err)
		}
		if _, err := send(agent.DefaultQueue); err != nil {
			t.Errorf("after one was removed: %v", err)
		}
	})
}

func TestDecide_RefusedInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, twoTools, "", twoCalls)
		card := s.card(t)
		decide := func(run agent.RunRef, i agent.InteractionID, v agent.Verdict, reason string) error {
			d := verdict(card.Calls[0], v)
			d.Reason = reason
			return s.Engine.Decide(t.Context(), run, i, ann, []agent.CallDecision{d})
		}
		for name, err := range map[string]error{
			"no verdict":     decide(s.run, card.Interaction, "", ""),
			"unsure":         decide(s.run, card.Interaction, agent.VerdictUnsure, ""),
			"a long reason":  decide(s.run, card.Interaction, agent.VerdictDeny, strings.Repeat("€", agent.MaxReason+1)),
			"a broken one":   decide(s.run, card.Interaction, agent.VerdictDeny, "\xff"),
			"a missing card": decide(s.run, "", agent.VerdictAllow, ""),
			"another card":   decide(s.run, "card-9", agent.VerdictAllow, ""),
			"another run":    decide(agent.RunRef{Conversation: s.run.Conversation, Run: "r_9"}, card.Interaction, agent.VerdictAllow, ""),
			"elsewhere":      decide(agent.RunRef{Conversation: "c_9", Run: s.run.Run}, card.Interaction, agent.VerdictAllow, ""),
		} {
			if !isInputError(err) && !errors.Is(err, agent.ErrNotWaiting) && !errors.Is(err, agent.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		list := []agent.CallDecision{verdict(card.Calls[0], agent.VerdictDeny)}
		list[0].Reason = "  " + strings.Repeat("€", agent.MaxReason) + "\n"
		given := list[0]
		if err := s.Engine.Decide(t.Context(), s.run, card.Interaction, ann, list); err != nil {
			t.Errorf("a reason of %d characters: %v", agent.MaxReason, err)
		}
		if diff := cmp.Diff(given, list[0]); diff != "" {
			t.Errorf("the caller's list was changed: %s", diff)
		}
	})
}

func TestReconcile_RefusedInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, twoTools, "", twoCalls)
		for name, a := range map[string]agent.ReconcileAnswered{
			"no answer":     {Interaction: "card-1"},
			"another word":  {Interaction: "card-1", Answer: "perhaps"},
			"a long note":   {Interaction: "card-1", Answer: agent.ReconcileHappened, Note: strings.Repeat("x", agent.MaxReason+1)},
			"a broken note": {Interaction: "card-1", Answer: agent.ReconcileHappened, Note: "\xff"},
		} {
			if err := s.Engine.Reconcile(t.Context(), s.run, a); !isInputError(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		approval := agent.ReconcileAnswered{Interaction: s.card(t).Interaction, Answer: agent.ReconcileHappened, By: ann}
		if err := s.Engine.Reconcile(t.Context(), s.run, approval); !errors.Is(err, agent.ErrNotWaiting) {
			t.Errorf("an approval was answered as a question: %v", err)
		}
	})
}

// No more runs of a person are worked on at once than may be. The rest wait as
// pending and go on in the order in which they came; another person's run does
// not wait for them.
func TestEngine_PerPerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stage := play(t, `
			match user "1"
			gate one
			text "One."
			finish stop
			---
			match user "2"
			gate two
			text "Two."
			finish stop
			---
			match user "3"
			gate three
			text "Three."
			finish stop
			---
			match user "4"
			text "Four."
			finish stop
		`)
		s := agenttest.NewServer(t, agenttest.Config{PerPerson: 1, Provider: stage})
		var ids []agent.ConversationID
		for _, n := range []string{"1", "2", "3"} {
			sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: agent.MessageID(n), Text: n, Author: ann}})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			ids = append(ids, sent.Conversation)
		}
		statuses := func() (list []agent.RunStatus) {
			synctest.Wait()
			for _, id := range ids {
				h, err := s.Memory.Head(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, h.Run.Status)
			}
			return list
		}
		const p, r, done = agent.StatusPending, agent.StatusRunning, agent.StatusSucceeded
		check := func(want ...agent.RunStatus) {
			t.Helper()
			if diff := cmp.Diff(want, statuses()); diff != "" {
				t.Error(diff)
			}
		}
		check(r, p, p)
		sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "4", Text: "4", Author: bob}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Await(sent.Conversation, time.Minute, done); err != nil {
			t.Errorf("another person waits: %v", err)
		}
		for i, gate := range []string{"one", "two"} {
			if err := stage.Release(gate); err != nil {
				t.Fatal(err)
			}
			check([][]agent.RunStatus{{done, r, p}, {done, done, r}}[i]...)
		}
		if err := s.Engine.Cancel(t.Context(), agent.RunRef{Conversation: ids[2], Run: agent.RunFor(ids[2], "3")}, ann); err != nil {
			t.Fatal(err)
		}
		check(done, done, agent.StatusCancelled)
	})
}

// Runs that wait get the places that a change of the bounds makes.
func TestEngine_SetBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stage := play(t, "match user \"1\"\ngate one\ntext \"One.\"\nfinish stop\n---\nmatch user \"2\"\ntext \"Two.\"\nfinish stop")
		s := agenttest.NewServer(t, agenttest.Config{PerPerson: 1, Provider: stage})
		var ids []agent.ConversationID
		for _, n := range []string{"1", "2"} {
			sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: agent.MessageID(n), Text: n, Author: ann}})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			ids = append(ids, sent.Conversation)
		}
		if h, err := s.Memory.Head(t.Context(), ids[1]); err != nil || h.Run.Status != agent.StatusPending {
			t.Errorf("the second run is %s, %v", h.Run.Status, err)
		}
		s.Engine.SetBounds(agent.Bounds{PerPerson: 2})
		if err := s.Await(ids[1], time.Minute, agent.StatusSucceeded); err != nil {
			t.Errorf("the second run waits on: %v", err)
		}
		s.Engine.SetBounds(agent.Bounds{Queue: 1})
		for n, want := range []bool{true, false} {
			m := agent.SendMessage{Message: agent.MessageID(fmt.Sprint("more-", n)), Text: "More.", Author: ann}
			if _, err := s.Engine.Send(t.Context(), ids[0], m); (err == nil) != want {
				t.Errorf("message %d: %v", n, err)
			}
		}
		if err := s.Engine.Cancel(t.Context(), agent.RunRef{Conversation: ids[0], Run: agent.RunFor(ids[0], "1")}, ann); err != nil {
			t.Fatal(err)
		}
		if err := stage.Release("one"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	})
}

// A run that has to wait for a slot can be stopped, and then begins nothing.
func TestEngine_CancelPending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stage := play(t, "match user \"1\"\ngate one\ntext \"One.\"\nfinish stop")
		s := agenttest.NewServer(t, agenttest.Config{PerPerson: 1, Provider: stage})
		var refs []agent.RunRef
		for _, n := range []string{"1", "2"} {
			sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: agent.MessageID(n), Text: n, Author: ann}})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			refs = append(refs, agent.RunRef{Conversation: sent.Conversation, Run: sent.Run})
		}
		if err := s.Engine.Cancel(t.Context(), refs[1], ann); err != nil {
			t.Fatal(err)
		}
		if err := stage.Release("one"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		agenttest.Check(t, s.Memory, refs[1].Conversation)
		for _, r := range s.Memory.Records(refs[1].Conversation) {
			if r.Event.Kind() == "run_started" {
				t.Error("a run that was stopped began")
			}
		}
	})
}

func TestEngine_Shutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := journaltest.NewMemory()
		e := agent.NewEngine(agent.Config{Journal: m, Index: m})
		for range 2 {
			if err := e.Shutdown(t.Context()); err != nil {
				t.Errorf("before the start: %v", err)
			}
		}
		if err := e.Start(t.Context()); err != nil {
			t.Errorf("after the end: %v", err)
		}
		if err := e.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A tool that does not listen holds the shutdown up no longer than its
// deadline.
func TestEngine_ShutdownDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := agenttest.NewServer(t, agenttest.Config{
			Provider: play(t, "call call_1 deaf {}\nfinish tool_calls"),
			Tools: []*agenttest.Tool{{Name: "deaf", ReadOnly: true, Does: func(context.Context, *agenttest.Gate) (agent.Result, error) {
				<-release
				return agent.Result{Text: "Late."}, nil
			}}},
		})
		if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		if err := s.Engine.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 10*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		close(release)
		s.Stop()
		records := s.Memory.Records(agenttest.Conversation)
		last, ok := records[len(records)-1].Event.(agent.ToolCallFinished)
		if !ok || last.Result != "Late." {
			t.Errorf("what the tool said after all is not on record: %+v", records[len(records)-1].Event)
		}
	})
}

// A result is cut at its bound, and at a character.
func TestTool_LongResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := agenttest.NewServer(t, agenttest.Config{
			Provider: play(t, "call call_1 long {}\nfinish tool_calls\n---\nexpect results 1\ntext \"Long.\"\nfinish stop"),
			Tools: []*agenttest.Tool{{Name: "long", ReadOnly: true, Does: func(context.Context, *agenttest.Gate) (agent.Result, error) {
				return agent.Result{Text: strings.Repeat("€", 100_000)}, nil
			}}},
		})
		if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, r := range s.Memory.Records(agenttest.Conversation) {
			if e, ok := r.Event.(agent.ToolCallFinished); ok && e.Result != strings.Repeat("€", (256<<10)/3) {
				t.Errorf("the result has %d bytes", len(e.Result))
			}
		}
	})
}

// A card shows its arguments whole, so a call with more than can be read is
// refused before anybody is asked.
func TestTool_LongArguments(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]agent.Kind{agent.MaxArguments: "approval_requested", agent.MaxArguments + 1: "tool_call_finished"} {
		synctest.Test(t, func(t *testing.T) {
			arguments := `{"text":"` + strings.Repeat("x", length-len(`{"text":""}`)) + `"}`
			script := "call call_1 save " + arguments + "\nfinish tool_calls"
			if want == "tool_call_finished" {
				script += "\n---\nexpect result \"too long\"\ntext \"Too long.\"\nfinish stop"
			}
			s := agenttest.NewServer(t, agenttest.Config{
				Provider: play(t, script),
				Tools:    []*agenttest.Tool{{Name: "save"}},
			})
			if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			found := slices.ContainsFunc(s.Memory.Records(agenttest.Conversation), func(r agent.Record) bool { return r.Event.Kind() == want })
			if !found {
				t.Errorf("%d bytes: there is no %s", length, want)
			}
		})
	}
}

// A message that a stopped run left behind starts when a person says so, and
// not while a run is under way.
func TestSendQueued(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := agenttest.NewServer(t, agenttest.Config{Provider: play(t, "hang\n---\ntext \"Late.\"\nfinish stop")})
		sent, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Engine.Send(t.Context(), sent.Conversation, agent.SendMessage{Message: "m2", Text: "Then this.", Author: ann}); err != nil {
			t.Fatal(err)
		}
		status := func() (agent.RunID, agent.RunStatus, int) {
			synctest.Wait()
			h, err := s.Memory.Head(t.Context(), sent.Conversation)
			if err != nil {
				t.Fatal(err)
			}
			return h.Run.ID, h.Run.Status, len(h.Queue)
		}
		sendQueued := func() {
			if err := s.Engine.SendQueued(t.Context(), sent.Conversation); err != nil {
				t.Error(err)
			}
		}
		sendQueued()
		if run, is, waiting := status(); run != sent.Run || is != agent.StatusRunning || waiting != 1 {
			t.Errorf("while a run is under way: run %s %s, %d waiting", run, is, waiting)
		}
		if err := s.Engine.Cancel(t.Context(), agent.RunRef{Conversation: sent.Conversation, Run: sent.Run}, ann); err != nil {
			t.Fatal(err)
		}
		sendQueued()
		sendQueued()
		if run, is, waiting := status(); run == sent.Run || is != agent.StatusSucceeded || waiting != 0 {
			t.Errorf("after Stop: run %s %s, %d waiting", run, is, waiting)
		}
	})
}

// The request says what the model needs and what the sender asked for.
func TestRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, "text \"Hi.\"\nfinish stop")
		tools, err := agenttest.ParseTools(twoTools)
		if err != nil {
			t.Fatal(err)
		}
		s := agenttest.NewServer(t, agenttest.Config{Provider: p, Tools: tools})
		_, err = s.Engine.Create(t.Context(), agent.NewConversation{
			Model:       agent.ModelRef{Model: "some-model"},
			SendMessage: agent.SendMessage{Message: "m1", Text: " Go.\n", Author: ann, Output: agent.OutputOptions{Reasoning: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []providers.Request{{
			Model: "some-model", System: "Be brief.", Attempt: 1, Reasoning: true,
			Messages: []providers.Message{providers.UserMessage{Text: " Go.\n"}},
			Tools: []providers.ToolSpec{
				{Name: "save", Description: "Version 0.", Parameters: []byte(`{"type":"object"}`)},
				{Name: "look", Description: "Version 0.", Parameters: []byte(`{"type":"object"}`)},
			},
		}}
		if diff := cmp.Diff(want, p.Requests()); diff != "" {
			t.Error(diff)
		}
	})
}
