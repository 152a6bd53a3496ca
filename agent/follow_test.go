package agent_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/agent/agenttest"
	"countersign/providers/scripted"
)

const talkative = `
	rate 20/s
	reasoning "one two three four five six seven "
	text "This attempt is going to fail because its stream is cut. "
	cut
	---
	expect attempt 2
	rate 20/s
	reasoning "eight nine ten "
	text "I will look at the weather, which may take some time. "
	call call_1 look {}
	finish tool_calls
	---
	rate 20/s
	text "It rains, and it is going to rain for as long as this answer is."
	finish stop
`

// talk plays the talkative script until it is over, while others do something
// beside it.
func talk(t *testing.T, options agent.OutputOptions, beside ...func(*agenttest.Server)) *agenttest.Server {
	t.Helper()
	script, err := scripted.Parse(talkative)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := agenttest.ParseTools(`look read_only takes 7s "It rains."`)
	if err != nil {
		t.Fatal(err)
	}
	s := agenttest.NewServer(t, agenttest.Config{Provider: scripted.NewProvider(scripted.NewStage(script)), Tools: tools})
	var others sync.WaitGroup
	for _, do := range beside {
		others.Go(func() { do(s) })
	}
	_, err = s.Engine.Create(t.Context(), agent.NewConversation{
		Agent: agent.Agent{ID: "agent"}, SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann, Output: options},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Await(agenttest.Conversation, time.Hour, ends...); err != nil {
		t.Fatal(err)
	}
	others.Wait()
	s.Stop()
	return s
}

// follow reads a conversation as a program does that shows text as it comes:
// facts from the journal, the rest from the subscription. It returns what was
// shown, each text once.
func follow(s *agenttest.Server, from time.Duration) (shown []string, out *agent.AttemptOutput) {
	<-time.After(from)
	out = &agent.AttemptOutput{}
	sub, draft := s.Engine.Follow(agenttest.Conversation)
	defer sub.Close()
	seq := agent.Seq(0)
	facts := func() (over bool) {
		for r := range s.Memory.Read(context.Background(), agenttest.Conversation, seq) {
			seq = r.Seq
			out.Apply(r)
			_, over = r.Event.(agent.RunFinished)
		}
		return over
	}
	look := func() {
		if text := out.Reasoning() + "|" + out.Text(); !slices.Contains(shown, text) {
			shown = append(shown, text)
		}
	}
	over := facts()
	out.ApplyDelta(agent.Delta{Attempt: draft.Attempt, Channel: agent.ChannelReasoning, Text: draft.Reasoning})
	out.ApplyDelta(agent.Delta{Attempt: draft.Attempt, Channel: agent.ChannelAnswer, Text: draft.Answer})
	for look(); !over; look() {
		<-sub.Wake()
		u := sub.Take()
		over = facts()
		for _, d := range u.Deltas {
			out.ApplyDelta(d)
		}
	}
	return shown, out
}

// Whenever somebody comes, they end with what was stored, and see nothing of
// the attempt that failed once that is known.
func TestFollow_FromAnyMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type result struct {
			from  time.Duration
			shown []string
			text  string
		}
		results := make(chan result, 100)
		var beside []func(*agenttest.Server)
		for i := range 40 {
			beside = append(beside, func(s *agenttest.Server) {
				from := time.Duration(i) * 333 * time.Millisecond
				shown, out := follow(s, from)
				results <- result{from, shown, out.Reasoning() + "|" + out.Text()}
			})
		}
		s := talk(t, agent.OutputOptions{Reasoning: true}, beside...)
		close(results)
		var stored agent.AttemptOutput
		for _, r := range s.Memory.Records(agenttest.Conversation) {
			stored.Apply(r)
		}
		want := stored.Reasoning() + "|" + stored.Text()
		most := 0
		for r := range results {
			if diff := cmp.Diff(want, r.text); diff != "" {
				t.Errorf("who came after %s ends with (-want +got):\n%s", r.from, diff)
			}
			most = max(most, len(r.shown))
		}
		if most < 30 {
			t.Errorf("nobody saw the text grow: at most %d texts", most)
		}
	})
}

// A conversation tells its followers alone, and keeps no draft while it waits.
func TestFollow_ConversationsAreApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, `save writing answers "Saved."`, "", oneCall)
		if d := s.Engine.Draft(s.run.Conversation); d != (agent.Draft{}) {
			t.Errorf("a run that waits has a draft: %+v", d)
		}
		sub, draft := s.Engine.Follow("another conversation")
		defer sub.Close()
		card := s.card(t)
		if err := s.decides(t, card, ann, agent.VerdictAllow)(); err != nil {
			t.Fatal(err)
		}
		s.await(t, ends...)
		synctest.Wait()
		select {
		case <-sub.Wake():
			t.Errorf("who follows another conversation is told of %+v", sub.Take())
		default:
		}
		if draft != (agent.Draft{}) {
			t.Errorf("another conversation has the draft %+v", draft)
		}
	})
}

// An open request is announced every five seconds and is no fact
// (contract A20, A25).
func TestFollow_Activity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script, err := scripted.Parse("pause 17s\ntext \"Late.\"\nfinish stop")
		if err != nil {
			t.Fatal(err)
		}
		s := agenttest.NewServer(t, agenttest.Config{Provider: scripted.NewProvider(scripted.NewStage(script))})
		sub, _ := s.Engine.Follow(agenttest.Conversation)
		defer sub.Close()
		begun := time.Now()
		if _, err := s.Engine.Create(t.Context(), agent.NewConversation{SendMessage: agent.SendMessage{Message: "m1", Text: "Go.", Author: ann}}); err != nil {
			t.Fatal(err)
		}
		var got []time.Duration
		for s.Await(agenttest.Conversation, 0, ends...) != nil {
			u, err := sub.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if u.Activity != nil {
				got = append(got, u.Activity.Elapsed)
				if at := time.Since(begun); at != u.Activity.Elapsed || s.Engine.Draft(agenttest.Conversation).Elapsed != at {
					t.Errorf("at %s an age of %s was announced", at, u.Activity.Elapsed)
				}
			}
		}
		if diff := cmp.Diff([]time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second}, got); diff != "" {
			t.Error(diff)
		}
		for _, r := range s.Memory.Records(agenttest.Conversation) {
			if r.Event.Kind() == "model_activity" {
				t.Error("activity is on record")
			}
		}
	})
}

// A sender who wants completed attempts only is sent no piece of one.
func TestFollow_Buffered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var deltas []agent.Delta
		s := talk(t, agent.OutputOptions{Reasoning: true, BufferAttempts: true}, func(s *agenttest.Server) {
			sub, _ := s.Engine.Follow(agenttest.Conversation)
			defer sub.Close()
			for s.Await(agenttest.Conversation, 0, ends...) != nil {
				<-sub.Wake()
				deltas = append(deltas, sub.Take().Deltas...)
			}
		})
		if len(deltas) > 0 {
			t.Errorf("it was sent %d pieces", len(deltas))
		}
		if n := len(s.Memory.Outputs(agenttest.Conversation)); n != 3 {
			t.Errorf("%d outputs are kept, want 3", n)
		}
	})
}

// What an attempt produced is kept in the order in which it came, and marked
// when it was withdrawn.
func TestOutputs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := talk(t, agent.OutputOptions{Reasoning: true})
		var got []agent.Output
		for _, o := range s.Memory.Outputs(agenttest.Conversation) {
			o.Run = ""
			got = append(got, o)
		}
		segment := func(c agent.Channel, text string) agent.Segment { return agent.Segment{Channel: c, Text: text} }
		want := []agent.Output{
			{Attempt: "attempt-1", Withdrawn: true, Segments: []agent.Segment{
				segment(agent.ChannelReasoning, "one two three four five six seven "),
				segment(agent.ChannelAnswer, "This attempt is going to fail because its stream is cut. "),
			}},
			{Attempt: "attempt-2", Segments: []agent.Segment{
				segment(agent.ChannelReasoning, "eight nine ten "),
				segment(agent.ChannelAnswer, "I will look at the weather, which may take some time. "),
				segment(agent.ChannelCall, "look {}"),
			}},
			{Attempt: "attempt-3", Segments: []agent.Segment{
				segment(agent.ChannelAnswer, "It rains, and it is going to rain for as long as this answer is."),
			}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
