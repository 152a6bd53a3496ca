// Package crash_test kills the program for real, at every point that matters
// and at random ones, and checks what it left.
package crash_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/agent"
)

var kills = flag.Int("kills", 20, "how often the random test kills the program")

// A stop is a point at which the program is killed, and when: in a new
// conversation, or in what the last kill left.
type stop struct {
	point  string
	atOnce bool
}

// points are all steps from a call's request to its result, and what leads
// there and away.
func points() (list []string) {
	for _, kind := range []agent.Kind{
		"conversation_created", "run_started", "model_attempt_started", "model_attempt_finished", "tool_call_requested",
		"approval_requested", "approval_decision", "run_resumed", "tool_call_started", "tool_call_finished",
		"question_asked", "question_answered", "run_finished",
	} {
		list = append(list, "before "+string(kind), "after "+string(kind))
	}
	return append(list, "before the ledger", "after the ledger")
}

// stops are the points one by one, and those at which a second kill meets the
// recovery from the first.
func stops(answer agent.ReconcileAnswer) (list []stop) {
	for _, p := range points() {
		list = append(list, stop{p, false})
	}
	second := []string{
		"before run_started", "after run_started", "before reconcile_requested", "after reconcile_requested",
		"before reconcile_answered", "after reconcile_answered",
	}
	if answer == agent.ReconcileRunAgain {
		second = append(second, "before tool_call_started", "after tool_call_started", "before the ledger", "after the ledger")
	}
	for _, p := range append(second, "before tool_call_finished", "after tool_call_finished") {
		list = append(list, stop{"after the ledger", false}, stop{p, true})
	}
	return list
}

// The program is killed at every point by a signal that can't be caught, and
// in the recovery from that; people answer in each of the three ways.
func TestKilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, answer := range answers {
		t.Run(string(answer), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 1)
			for _, stop := range stops(answer) {
				c := config{Talks: 1, KillAt: stop.point, AtOnce: stop.atOnce, Answer: answer}
				if !s.run(c, nil) {
					t.Fatalf("the program was not killed %s", stop.point)
				}
			}
			if s.run(config{Answer: answer}, nil) {
				t.Fatal("the program was killed by nobody")
			}
			found := s.check()
			if found.answers[answer] == 0 || found.succeeded < len(points()) {
				t.Errorf("the test shows nothing: %v", found)
			}
			t.Log(found)
		})
	}
}

// The program is killed at random moments, again and again, while several
// people talk to it.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	const sites = 2
	for n := range sites {
		t.Run(fmt.Sprint("seed ", n+1), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 3)
			chance := rand.New(rand.NewPCG(uint64(n+1), 0))
			for k := range *kills / sites {
				kill := moment{lines: chance.IntN(latest), after: time.Duration(chance.Int64N(int64(longest)))}
				if !s.run(config{Talks: -1, Seed: uint64(k)}, &kill) {
					t.Fatal("the program ended before it was killed")
				}
			}
			if s.run(config{Seed: 1}, nil) {
				t.Fatal("the program was killed by nobody")
			}
			found := s.check()
			if found.records == 0 {
				t.Errorf("the test shows nothing: %v", found)
			}
			t.Log(found)
		})
	}
}

// A random kill comes up to this long after up to so many records.
const (
	latest  = 80
	longest = 20 * time.Millisecond
)
