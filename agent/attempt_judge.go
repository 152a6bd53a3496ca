package agent

import (
	"context"
	"slices"
	"strings"

	"countersign/providers"
)

// askedAnew is what a model is told after a candidate was withheld. It says
// nothing of the rule: what it forbids would then stand in the request.
const askedAnew = "Your last response was withheld, because it does not keep to the rules here. Nobody has seen it, and none of its tool calls ran. " +
	"Respond again within the rules. Do not try to say or do the same in another way."

// guarded reports whether what the attempt produces is withheld until a
// verdict.
func (a *attempt) guarded() bool { return len(a.agent.Safety.Guardrails) > 0 }

// judge has the guardrails look at what the attempt produced. It returns which
// one withholds it, or nil; the calls are then as the guardrails rewrote them.
// An error says that nobody waits for the verdict any more.
func (a *attempt) judge(ctx context.Context, f *providers.Finish) (*OutputWithheld, error) {
	c := candidateOf(*f)
	for _, g := range a.agent.Safety.Guardrails {
		held := OutputWithheld{Attempt: a.id, Guardrail: g.Name, How: g.How()}
		if g.Webhook != nil {
			blocked, failed := a.ask(ctx, g, c)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if held.Failed = failed; blocked {
				return &held, nil
			}
			continue
		}
		if j := g.judge(&c); j.blocked {
			held.Subject = j.subject
			return &held, nil
		}
		// What the provider signed can't be changed and sent back (contract P31,
		// P32).
		if c.changed() && f.Replay != nil {
			held.Subject, held.Signed = SubjectArguments, true
			return &held, nil
		}
	}
	a.rewritten = make([]string, len(c.Calls))
	f.Calls = slices.Clone(f.Calls)
	for i, call := range c.Calls {
		f.Calls[i].Arguments, a.rewritten[i] = call.Arguments, strings.Join(call.rewritten, ", ")
	}
	a.keepJudged(*f)
	return nil, nil
}

// ask puts a candidate to a webhook. One that gives no verdict blocks it.
func (a *attempt) ask(ctx context.Context, g Guardrail, c Candidate) (blocked, failed bool) {
	if c = c.only(g.Webhook.Over); c.empty() {
		return false, false
	}
	if a.inspector == nil {
		return true, true
	}
	ctx, cancel := context.WithTimeout(ctx, g.Webhook.Limit())
	defer cancel()
	allowed, err := a.inspector.Inspect(ctx, *g.Webhook, Inspection{
		Guardrail: g.Name, Agent: a.agent.Name, Conversation: a.ref.Conversation, Run: a.ref.Run, Attempt: a.id, Candidate: c,
	})
	if err != nil {
		a.log.Warn("a guardrail gave no verdict", "guardrail", g.Name, "conversation", a.ref.Conversation, "run", a.ref.Run, "attempt", a.id, "error", err)
		return true, true
	}
	return !allowed, false
}

// keepJudged drops pieces of the stream that are other than what was judged.
func (a *attempt) keepJudged(f providers.Finish) {
	var answer, reasoning strings.Builder
	for _, p := range a.parts {
		if p.channel == ChannelReasoning {
			reasoning.Write(p.text)
		} else {
			answer.Write(p.text)
		}
	}
	said := candidateOf(f)
	if answer.String() == said.Answer && reasoning.String() == said.Reasoning {
		return
	}
	a.parts = nil
	if said.Reasoning != "" {
		a.parts = append(a.parts, part{ChannelReasoning, []byte(said.Reasoning)})
	}
	if said.Answer != "" {
		a.parts = append(a.parts, part{ChannelAnswer, []byte(said.Answer)})
	}
}

// withheld records that what the attempt produced is kept back, and what
// follows from it: the model is asked anew, or the run stops. Nothing of the
// candidate is written anywhere.
func (a *attempt) withheld(ctx context.Context, held OutputWithheld) error {
	events := []Event{a.ended(AttemptWithheld), held, a.used()}
	times := a.state.Withheld - a.state.Excused.Withheld + 1
	if times <= a.agent.Safety.retries() {
		return a.append(ctx, func(Head) []Event { return events })
	}
	why := SafetyRequested{Cause: SafetyBlocked, Withheld: &held, Times: times}
	if held.Failed {
		why.Cause = SafetyFailed
	}
	return a.stopped(ctx, why, events...)
}

// breaks reports whether the arguments of a call are not as the guardrails
// would let them pass now. Webhooks were asked when the call was made.
func (w *worker) breaks(c *RunCall) bool {
	return slices.ContainsFunc(w.agent.Safety.Guardrails, func(g Guardrail) bool {
		arguments, passes := g.Try(c.Tool, c.Arguments)
		return !passes || arguments != c.Arguments
	})
}

// passing returns an explanation that a model wrote, or "" where a guardrail
// over answers withholds it (contract V20). Webhooks are not asked about one,
// so with a webhook there is none.
func (w *worker) passing(text string) string {
	withholds := func(g Guardrail) bool {
		c := Candidate{Answer: text}
		return g.Webhook != nil && over(g.Webhook.Over, SubjectAnswer) || g.judge(&c).blocked
	}
	if slices.ContainsFunc(w.agent.Safety.Guardrails, withholds) {
		return ""
	}
	return text
}
