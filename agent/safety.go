package agent

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Safety is what an agent's output has to pass, and what happens when it does
// not (contract 2.11).
type Safety struct {
	// Guardrails judge each candidate in their order. Where there is one, text
	// and reasoning are held back until the verdict, whatever was asked for
	// (contract R19, R20).
	Guardrails []Guardrail `json:"guardrails,omitempty"`
	// MaxRetries is how often a model is asked anew after a candidate was
	// withheld, 0 to MaxBlockedRetries; nil is DefaultBlockedRetries.
	MaxRetries *int `json:"max_retries,omitempty"`
	// SameCalls is how often a run may make a call with the same arguments, up to
	// MaxSameCalls; 0 is as often as it likes, nil is DefaultSameCalls.
	SameCalls *int `json:"same_calls,omitempty"`
	// Ask puts a run to a person that would end otherwise: no candidate passed,
	// or the same call came once too often.
	Ask bool `json:"ask,omitempty"`
}

const (
	DefaultBlockedRetries = 1
	MaxBlockedRetries     = 5
	DefaultSameCalls      = 5
	MaxSameCalls          = 100
	// MaxGuardrails is how many an agent may have.
	MaxGuardrails = 20
)

func (s Safety) retries() int {
	if s.MaxRetries == nil {
		return DefaultBlockedRetries
	}
	return *s.MaxRetries
}

func (s Safety) sameCalls() int {
	if s.SameCalls == nil {
		return DefaultSameCalls
	}
	return *s.SameCalls
}

// Problems says what is wrong, by field: max_retries, same_calls, guardrails,
// and guardrails.N.field with the fields of [Guardrail.Problems].
func (s Safety) Problems() map[string]string {
	p := make(map[string]string)
	if n := s.retries(); n < 0 || n > MaxBlockedRetries {
		p["max_retries"] = fmt.Sprintf("Enter a whole number from 0 to %d.", MaxBlockedRetries)
	}
	if n := s.sameCalls(); n < 0 || n > MaxSameCalls {
		p["same_calls"] = fmt.Sprintf("Enter a whole number from 0 to %d.", MaxSameCalls)
	}
	if len(s.Guardrails) > MaxGuardrails {
		p["guardrails"] = fmt.Sprintf("An agent may have %d guardrails.", MaxGuardrails)
	}
	names := make(map[string]bool)
	for i, g := range s.Guardrails {
		problems := g.Problems()
		if name := strings.ToLower(g.Name); names[name] {
			problems["name"] = "There is a guardrail of this name."
		} else {
			names[name] = true
		}
		for field, problem := range maps.All(problems) {
			p[fmt.Sprintf("guardrails.%d.%s", i, field)] = problem
		}
	}
	return p
}

// AnswerSafety records whether a run goes on that was stopped for safety. The
// first answer stands; the same answer by the same person again is no error,
// any other one is [ErrNotWaiting]. A key may not say it of a run that it
// started ([ErrOwnRun]).
func (e *Engine) AnswerSafety(ctx context.Context, r RunRef, a SafetyAnswered) error {
	if a.Answer != SafetyContinue && a.Answer != SafetyStop {
		return &InputError{Message: "Choose whether the run goes on."}
	}
	if err := e.permit(ctx, a.By.User); err != nil {
		return err
	}
	_, err := e.decideRun(ctx, r, func(_ Head, s *RunState) ([]Event, error) {
		if s.startedBy(a.By) {
			return nil, ErrOwnRun
		}
		if s.Safety == nil || s.Safety.Interaction != a.Interaction {
			for _, had := range s.SafetyAnswered {
				if had.Interaction == a.Interaction && had.Answer == a.Answer && had.By.is(a.By) {
					return nil, nil
				}
			}
			return nil, ErrNotWaiting
		}
		return []Event{a, InteractionClosed{Interaction: a.Interaction, How: ClosedDecided}, RunResumed{Reason: "answered"}}, nil
	})
	return err
}

// stopped returns the events that stop the run for safety, after those that say
// what happened: it ends, or a person says how it goes on.
func (w *worker) stopped(ctx context.Context, why SafetyRequested, before ...Event) error {
	if w.agent.Safety.Ask {
		why.Interaction = InteractionID(w.newID("i_"))
		events := append(before, why, RunWaiting{For: StatusWaitingInput})
		return w.append(ctx, func(Head) []Event { return events })
	}
	end := RunFinished{Status: StatusFailed, Failure: &Failure{Code: string(why.Cause)}}
	return w.appendEntries(ctx, func(h Head) []Entry {
		if w.state.Attempt != nil { // it ends with the events before, and nothing else is open
			return append(runEntries(w.ref.Run, append(slices.Clip(before), end)), startNext(w.ref.Conversation, h)...)
		}
		return w.finishEntries(h, end, slices.Clip(before)...)
	})
}
