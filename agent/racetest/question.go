package racetest

import "countersign/agent"

const asks = `
	match user "go"
	match results 0
	call call_1 ask {}
	finish tool_calls
	---
	text "Done."
	finish stop
`

const justAnswers = `
	text "Done."
	finish stop
`

// answers returns what has a person choose an option.
func (r *round) answers(label string) func() error {
	q := newest[agent.QuestionAsked](r)
	return func() error {
		return r.engine.Answer(r.t.Context(), r.run, q.Interaction, ann, []agent.Answer{{Selected: []string{label}}})
	}
}

// Two tabs give the same answer, or two: one is on record, and the model is
// told that one.
func answerTwice(second string) func(*round) string {
	return func(r *round) string {
		r.begin()
		errs := r.atOnce(r.answers("District 1"), r.answers(second))
		r.onlyLate(errs)
		want := 1
		if second == "District 1" {
			want = 2
		}
		if e := r.over(); wins(errs) != want || len(e.answers) != 1 || len(e.results) != 1 {
			r.fatalf("%v: %+v", errs, e)
		}
		return first(errs, "one", "another")
	}
}

// A message and an answer at the same moment: one of them is the answer. A
// message that is not, starts the next run.
func answerMessage(r *round) string {
	r.begin()
	var sent agent.Sent
	errs := r.atOnce(r.answers("District 1"), func() (err error) {
		sent, err = r.send("second")
		return err
	})
	r.onlyLate(errs)
	r.must(errs[1])
	e := r.over()
	byMessage := sent.Run == r.run.Run
	switch {
	case len(e.answers) != 1, byMessage != (e.answers[0].Message == "second"), byMessage == (errs[0] == nil), byMessage != (len(e.messages) == 1):
		r.fatalf("%v: by message %v, %+v", errs, byMessage, e)
	case byMessage:
		return "message"
	}
	return "answer"
}

// An answer at the moment of the expiry holds or is too late.
func answerExpire(r *round) string {
	r.begin()
	answer := r.answers("District 1")
	r.around(newest[agent.QuestionAsked](r).ExpiresAt)
	errs := []error{answer()}
	r.onlyLate(errs)
	e := r.over()
	if (len(e.answers) == 1) != (errs[0] == nil) || len(e.results) != 1 || (e.results[0].Outcome == agent.CallExpired) != (errs[0] != nil) {
		r.fatalf("%v: %+v", errs, e)
	}
	if errs[0] != nil {
		return "expire"
	}
	return "answer"
}

// Stop always succeeds, and leaves one result.
func answerCancel(r *round) string {
	r.begin()
	errs := r.atOnce(r.answers("District 1"), r.cancels)
	r.onlyLate(errs)
	e := r.over()
	if errs[1] != nil || len(e.results) != 1 || (len(e.answers) == 1) != (errs[0] == nil) || (e.results[0].Outcome == agent.CallOK) != (errs[0] == nil) {
		r.fatalf("%v: %+v", errs, e)
	}
	if errs[0] != nil {
		return "cancel"
	}
	return "answer"
}

// A message that is sent twice at once starts one run, or waits once.
func sendTwice(r *round) string {
	errs := r.atOnce(r.create, r.create)
	if r.number%2 == 0 { // otherwise the run may still be under way
		r.await(ends...)
	}
	send := func() error {
		_, err := r.send("second")
		return err
	}
	errs = append(errs, r.atOnce(send, send, send)...)
	e := r.over() // the first run ends and the second begins in one append
	if wins(errs) != len(errs) || e.messages[r.message()] != 1 || e.messages["second"] != 1 || len(e.messages) != 2 {
		r.fatalf("%v: %+v", errs, e)
	}
	return "both"
}
