package crash_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"countersign/agent"
)

// A person begins conversations and answers whatever is asked in them.
type person struct {
	*victim
	config
	number int
	actor  agent.Actor
	chance *rand.Rand
}

// actorOf names a person by number.
func actorOf(number int) agent.Actor {
	name := fmt.Sprintf("person-%d", number)
	return agent.Actor{User: agent.UserID(name), Name: name}
}

// message and conversation name the n-th conversation of a person.
func message(n int) agent.MessageID { return agent.MessageID(fmt.Sprintf("m-%d", n)) }

func conversation(person, n int) agent.ConversationID {
	return agent.ConversationFor(actorOf(person).User, message(n))
}

func newPerson(v *victim, c config, number int) *person {
	return &person{
		victim: v, config: c, number: number, actor: actorOf(number),
		chance: rand.New(rand.NewPCG(c.Seed, uint64(number))),
	}
}

// talk brings every conversation to its end, and says so.
func (p *person) talk(ctx context.Context) error {
	for n := p.First[p.number]; ; n++ {
		id := conversation(p.number, n)
		_, err := p.Head(ctx, id)
		switch {
		case errors.Is(err, agent.ErrNotFound) && p.Talks == 0:
			return nil
		case errors.Is(err, agent.ErrNotFound):
			p.Talks--
			p.armed.Store(true)
			_, err = p.engine.Create(ctx, agent.NewConversation{
				Agent:       agent.Agent{ID: "agent", Name: "Assistant"},
				SendMessage: agent.SendMessage{Message: message(n), Text: "Pay.", Author: p.actor},
			})
		}
		for over := false; !over && err == nil; {
			over, err = p.act(ctx, id)
		}
		if err != nil {
			return fmt.Errorf("%s, conversation %d: %w", p.actor.Name, n, err)
		}
		fmt.Println("over", p.number, n)
	}
}

// act answers what waits for a person, or waits for the next record. It
// reports whether the run is over.
func (p *person) act(ctx context.Context, id agent.ConversationID) (over bool, err error) {
	changed := p.next()
	head, err := p.Head(ctx, id)
	if err != nil || !head.Busy() {
		return true, err
	}
	ref := agent.RunRef{Conversation: id, Run: head.Run.ID}
	run := &agent.RunState{}
	for r, err := range p.ReadRun(ctx, id, ref.Run) {
		if err != nil {
			return false, err
		}
		run.Apply(r)
	}
	if p.Answer == "" && p.chance.IntN(400) == 0 {
		return false, p.engine.Cancel(ctx, ref, p.actor)
	}
	switch {
	case run.Approval != nil:
		return false, p.engine.Decide(ctx, ref, run.Approval.Interaction, p.actor, p.verdicts(run))
	case run.Question != nil:
		return false, p.engine.Answer(ctx, ref, run.Question.Interaction, p.actor, make([]agent.Answer, len(run.Question.Questions)))
	case run.Reconcile != nil:
		return false, p.engine.Reconcile(ctx, ref, agent.ReconcileAnswered{Interaction: run.Reconcile.Interaction, Answer: p.knows(), By: p.actor})
	case run.Status.Waiting():
		return false, fmt.Errorf("the run is %s, and for nothing", run.Status)
	}
	<-changed
	return false, nil
}

func (p *person) verdicts(run *agent.RunState) (list []agent.CallDecision) {
	for _, b := range run.Approval.Calls {
		if run.Call(b.Call).Decision != nil {
			continue
		}
		v := agent.CallDecision{Call: b.Call, Binding: b.Binding, Verdict: agent.VerdictAllow}
		if p.Answer == "" {
			switch p.chance.IntN(8) {
			case 0:
				v.Verdict = agent.VerdictDeny
			case 1:
				v.Grant = true
			}
		}
		list = append(list, v)
	}
	return list
}

func (p *person) knows() agent.ReconcileAnswer {
	if p.Answer != "" {
		return p.Answer
	}
	return answers[p.chance.IntN(len(answers))]
}

var answers = []agent.ReconcileAnswer{agent.ReconcileHappened, agent.ReconcileNotHappened, agent.ReconcileRunAgain}
