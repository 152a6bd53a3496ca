package racetest

import "countersign/agent"

// stopping has a run that says what it must not wait for a person.
var stopping = agent.Safety{
	Ask: true, MaxRetries: new(int),
	Guardrails: []agent.Guardrail{{Name: "None of this", Pattern: &agent.PatternRule{Pattern: "Withhold this"}}},
}

const withholds = `
	match user "go"
	text "Withhold this."
	finish stop
	---
	text "Done."
	finish stop
`

func (r *round) safetyAnswer(by agent.Actor, a agent.SafetyAnswer) func() error {
	asked := newest[agent.SafetyRequested](r)
	return func() error {
		return r.engine.AnswerSafety(r.t.Context(), r.run, agent.SafetyAnswered{Interaction: asked.Interaction, Answer: a, By: by})
	}
}

// Two tabs let a run go on, or one of them ends it: one answer is on record,
// and the run does what it says.
func answerSafety(second agent.SafetyAnswer) func(*round) string {
	return func(r *round) string {
		r.begin()
		errs := r.atOnce(r.safetyAnswer(ann, agent.SafetyContinue), r.safetyAnswer(ann, second))
		r.onlyLate(errs)
		want := 1
		if second == agent.SafetyContinue {
			want = 2
		}
		e := r.over()
		goesOn := len(e.safety) == 1 && e.safety[0].Answer == agent.SafetyContinue
		if wins(errs) != want || len(e.safety) != 1 || goesOn != (e.status == agent.StatusSucceeded) || goesOn == (e.status == agent.StatusFailed) {
			r.fatalf("%v: %+v", errs, e)
		}
		return first(errs, "continue", "stop")
	}
}

// Stop always succeeds, whether or not the run was let go on before.
func continueCancel(r *round) string {
	r.begin()
	errs := r.atOnce(r.safetyAnswer(ann, agent.SafetyContinue), r.cancels)
	r.onlyLate(errs)
	e := r.over()
	if errs[1] != nil || (len(e.safety) == 1) != (errs[0] == nil) || errs[0] != nil && e.status != agent.StatusCancelled {
		r.fatalf("%v: %+v", errs, e)
	}
	if errs[0] != nil {
		return "cancel"
	}
	return "continue"
}
