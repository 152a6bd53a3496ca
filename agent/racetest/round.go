package racetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"countersign/agent"
	"countersign/agent/agenttest"
)

var (
	ann  = agent.Actor{User: "ann", Name: "Ann"}
	bob  = agent.Actor{User: "bob", Name: "Bob"}
	ends = []agent.RunStatus{agent.StatusSucceeded, agent.StatusFailed, agent.StatusCancelled}
)

// patience is how long a run may take to get where it is awaited.
const patience = time.Minute

// A round is one conversation.
type round struct {
	*course
	number int
	chance *rand.Rand
	owner  agent.Actor
	agent  agent.AgentID
	run    agent.RunRef
}

func newRound(c *course, number int) *round {
	r := &round{course: c, number: number, chance: rand.New(rand.NewPCG(uint64(number), 0)), agent: "agent"}
	r.ownedBy(ann)
	return r
}

func (r *round) ownedBy(owner agent.Actor) {
	id := agent.ConversationFor(owner.User, r.message())
	r.owner, r.run = owner, agent.RunRef{Conversation: id, Run: agent.RunFor(id, r.message())}
}

// message returns the id of the first message.
func (r *round) message() agent.MessageID { return agent.MessageID(fmt.Sprintf("m-%d", r.number)) }

// fatalf ends the round and the lane, not the test's goroutine.
func (r *round) fatalf(format string, args ...any) {
	r.t.Helper()
	r.t.Errorf("round %d: %s", r.number, fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *round) must(err error) {
	r.t.Helper()
	if err != nil {
		r.fatalf("%v", err)
	}
}

// begin starts a run and returns when it waits for a person or is over.
func (r *round) begin() {
	r.t.Helper()
	r.must(r.create())
	r.await(append(ends, agent.StatusWaitingApproval, agent.StatusWaitingInput)...)
}

func (r *round) create() error {
	_, err := r.engine.Create(r.t.Context(), agent.NewConversation{
		Agent: agent.Agent{ID: r.agent}, SendMessage: agent.SendMessage{Message: r.message(), Text: "Go.", Author: r.owner},
	})
	return err
}

func (r *round) send(m agent.MessageID) (agent.Sent, error) {
	return r.engine.Send(r.t.Context(), r.run.Conversation, agent.SendMessage{Message: m, Text: "Any.", Author: r.owner})
}

func (r *round) head() agent.Head {
	r.t.Helper()
	h, err := r.store.Head(context.Background(), r.run.Conversation)
	r.must(err)
	return h
}

// await waits until the newest run has one of the statuses, and returns which.
func (r *round) await(statuses ...agent.RunStatus) agent.RunStatus {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	following, _ := r.engine.Follow(r.run.Conversation)
	defer following.Close()
	for {
		h := r.head()
		if slices.Contains(statuses, h.Run.Status) {
			return h.Run.Status
		}
		if _, err := following.Next(ctx); err != nil {
			r.fatalf("the newest run is %s after %v", h.Run.Status, patience)
		}
	}
}

func (r *round) records() (list []agent.Record) {
	r.t.Helper()
	for rec, err := range r.store.Read(context.Background(), r.run.Conversation, 0) {
		r.must(err)
		list = append(list, rec)
	}
	return list
}

// An end is what a round left.
type end struct {
	status    agent.RunStatus
	saved     int
	decisions int
	messages  map[agent.MessageID]int
	answers   []agent.QuestionAnswered
	results   []agent.ToolCallFinished
	safety    []agent.SafetyAnswered
}

// over waits for the end and checks the records.
func (r *round) over() end {
	r.t.Helper()
	e := end{status: r.await(ends...), messages: map[agent.MessageID]int{}}
	records := r.records()
	agenttest.CheckRecords(r.t, records)
	agenttest.CheckMoves(r.t, records)
	e.saved = r.saved()
	for _, rec := range records {
		switch ev := rec.Event.(type) {
		case agent.ApprovalDecision:
			e.decisions++
		case agent.UserMessage:
			e.messages[ev.Message]++
		case agent.QuestionAnswered:
			e.answers = append(e.answers, ev)
		case agent.SafetyAnswered:
			e.safety = append(e.safety, ev)
		case agent.ToolCallFinished:
			e.results = append(e.results, ev)
		}
	}
	return e
}

// newest returns the newest event of a kind.
func newest[E agent.Event](r *round) E {
	r.t.Helper()
	for _, rec := range slices.Backward(r.records()) {
		if e, ok := rec.Event.(E); ok {
			return e
		}
	}
	r.fatalf("there is no %T", *new(E))
	panic("unreachable")
}

// atOnce does things at the same moment and returns their errors. In every
// other round each comes a little later than it might.
func (r *round) atOnce(things ...func() error) []error {
	errs := make([]error, len(things))
	var ready, done sync.WaitGroup
	ready.Add(len(things))
	for i, do := range things {
		var late time.Duration
		if r.number%2 == 0 {
			late = time.Duration(r.chance.Int64N(int64(4 * time.Millisecond)))
		}
		done.Go(func() {
			ready.Done()
			ready.Wait()
			<-time.After(late)
			errs[i] = do()
		})
	}
	done.Wait()
	return errs
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

// first names the only one who won.
func first(errs []error, names ...string) string {
	switch i := slices.Index(errs, nil); {
	case wins(errs) > 1:
		return "both"
	case i >= 0:
		return names[i]
	}
	return "neither"
}

func (r *round) onlyLate(errs []error) {
	r.t.Helper()
	for _, err := range errs {
		if err != nil && !errors.Is(err, agent.ErrNotWaiting) {
			r.t.Errorf("got %v, want ErrNotWaiting", err)
		}
	}
}
