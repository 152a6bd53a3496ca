package racetest

import (
	"time"

	"countersign/agent"
)

const oneSave = `
	match user "go"
	match results 0
	call call_1 save {"n":1}
	finish tool_calls
	---
	text "Done."
	finish stop
`

const twoSaves = `
	match user "go"
	match results 0
	call call_1 save {}
	finish tool_calls
	---
	match user "go"
	match results 1
	call call_2 save {}
	finish tool_calls
	---
	text "Done."
	finish stop
`

const threeSaves = `
	match user "go"
	match results 0
	call call_1 save {"n":1}
	call call_2 save {"n":2}
	call call_3 save {"n":3}
	finish tool_calls
	---
	text "Done."
	finish stop
`

// decides returns what has a person decide the only call of the open card.
func (r *round) decides(by agent.Actor, v agent.Verdict, grant bool) func() error {
	card := newest[agent.ApprovalRequested](r)
	c := card.Calls[0]
	return func() error {
		return r.engine.Decide(r.t.Context(), r.run, card.Interaction, by,
			[]agent.CallDecision{{Call: c.Call, Binding: c.Binding, Verdict: v, Grant: grant}})
	}
}

func (r *round) cancels() error { return r.engine.Cancel(r.t.Context(), r.run, ann) }

// Two tabs of one person approve: both are told yes, and the tool runs once.
func approveTwice(r *round) string {
	r.begin()
	errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), r.decides(ann, agent.VerdictAllow, false))
	if e := r.over(); wins(errs) != 2 || e.status != agent.StatusSucceeded || e.saved != 1 || e.decisions != 1 {
		r.fatalf("%v: %+v", errs, e)
	}
	return "both"
}

// Two people decide: one of them does, whatever they say.
func twoPeople(second agent.Verdict) func(*round) string {
	return func(r *round) string {
		r.begin()
		errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), r.decides(bob, second, false))
		r.onlyLate(errs)
		want := 1
		if errs[0] != nil && second == agent.VerdictDeny {
			want = 0
		}
		if e := r.over(); wins(errs) != 1 || e.status != agent.StatusSucceeded || e.saved != want || e.decisions != 1 {
			r.fatalf("%v: %+v", errs, e)
		}
		return first(errs, "ann", "bob")
	}
}

// One person approves in one tab and denies in the other.
func approveDeny(r *round) string {
	r.begin()
	errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), r.decides(ann, agent.VerdictDeny, false))
	r.onlyLate(errs)
	if e := r.over(); wins(errs) != 1 || e.status != agent.StatusSucceeded || (e.saved == 1) != (errs[0] == nil) || e.decisions != 1 {
		r.fatalf("%v: %+v", errs, e)
	}
	return first(errs, "approve", "deny")
}

// A person approves as it is in one tab and with other arguments in the other:
// what ran is what the one decision that there is says.
func approveEdit(r *round) string {
	r.begin()
	card := newest[agent.ApprovalRequested](r)
	c := card.Calls[0]
	edit := func() error {
		return r.engine.Decide(r.t.Context(), r.run, card.Interaction, ann,
			[]agent.CallDecision{{Call: c.Call, Binding: c.Binding, Verdict: agent.VerdictAllow, Arguments: `{"n":2}`}})
	}
	errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), edit)
	r.onlyLate(errs)
	e := r.over()
	d, started := newest[agent.ApprovalDecision](r), newest[agent.ToolCallStarted](r)
	if wins(errs) != 1 || e.saved != 1 || e.decisions != 1 || (d.Arguments != "") != (errs[1] == nil) || d.Binding != started.Binding || (d.Binding == c.Binding) != (errs[0] == nil) {
		r.fatalf("%v: %+v, %+v", errs, e, d)
	}
	return first(errs, "as it is", "edited")
}

// One person approves a whole card while another denies one call of it: who is
// late with all of them decides none.
func allOne(r *round) string {
	r.begin()
	card := newest[agent.ApprovalRequested](r)
	var rest []agent.CallDecision
	for _, c := range card.Calls {
		rest = append(rest, agent.CallDecision{Call: c.Call, Binding: c.Binding, Verdict: agent.VerdictAllow})
	}
	approve := func() error { return r.engine.Decide(r.t.Context(), r.run, card.Interaction, ann, rest) }
	errs := r.atOnce(approve, r.decides(bob, agent.VerdictDeny, false))
	r.onlyLate(errs)
	saved := 3
	if errs[0] != nil {
		rest, saved = rest[1:], 2
		r.must(approve())
	}
	if e := r.over(); wins(errs) != 1 || e.status != agent.StatusSucceeded || e.saved != saved || e.decisions != 3 {
		r.fatalf("%v: %+v", errs, e)
	}
	return first(errs, "all", "one")
}

// Stop always succeeds. An approval that came too late for it runs nothing.
func approveCancel(r *round) string {
	r.begin()
	errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), r.cancels)
	r.onlyLate(errs)
	e := r.over()
	switch {
	case errs[1] != nil, e.saved > 1, e.decisions > 1:
		r.fatalf("%v: %+v", errs, e)
	case errs[0] != nil && (e.status != agent.StatusCancelled || e.saved > 0 || e.decisions > 0):
		r.fatalf("the approval lost, and yet %+v", e)
	case e.status == agent.StatusSucceeded && e.saved != 1:
		r.fatalf("the run succeeded without its tool: %+v", e)
	case errs[0] != nil:
		return "cancel"
	}
	return "approve"
}

// around waits until a moment, or some steps before or after it by the number
// of the round.
func (r *round) around(at time.Time) {
	<-time.After(time.Until(at) + time.Duration(r.number%7-5)*10*time.Millisecond)
}

// An approval at the moment of the expiry holds or is too late; there is one
// decision in either case.
func approveExpire(r *round) string {
	r.begin()
	approve := r.decides(ann, agent.VerdictAllow, false)
	r.around(newest[agent.ApprovalRequested](r).ExpiresAt)
	errs := []error{approve()}
	r.onlyLate(errs)
	if e := r.over(); e.status != agent.StatusSucceeded || (e.saved == 1) != (errs[0] == nil) || e.decisions != 1 {
		r.fatalf("%v: %+v", errs, e)
	}
	if errs[0] != nil {
		return "expire"
	}
	return "approve"
}

// Allowing once and allowing for the conversation at the same moment: a grant
// exists only if the one who gave it won.
func approveGrant(r *round) string {
	r.begin()
	errs := r.atOnce(r.decides(bob, agent.VerdictAllow, false), r.decides(ann, agent.VerdictAllow, true))
	r.onlyLate(errs)
	r.await(append(ends, agent.StatusWaitingApproval)...)
	granted := errs[1] == nil
	if h := r.head(); wins(errs) != 1 || (len(h.Grants) == 1) != granted {
		r.fatalf("%v: grants %v", errs, h.Grants)
	}
	if !granted { // the second call asks
		r.must(r.decides(ann, agent.VerdictAllow, false)())
	}
	if e := r.over(); e.status != agent.StatusSucceeded || e.saved != 2 || e.decisions != 2 {
		r.fatalf("%+v", e)
	}
	return first(errs, "once", "grant")
}

// A grant that is revoked as it comes into use has allowed the second call, or
// that call asks; no call uses a grant that is gone.
func grantRevoke(r *round) string {
	r.begin()
	r.must(r.decides(ann, agent.VerdictAllow, true)())
	return r.secondCall(r.atOnce(r.revokes()))
}

// Revoking twice is revoking once.
func revokeTwice(r *round) string {
	r.begin()
	r.must(r.decides(ann, agent.VerdictAllow, true)())
	revoke := r.revokes()
	return r.secondCall(r.atOnce(revoke, revoke))
}

func (r *round) revokes() func() error {
	grant := newest[agent.GrantCreated](r).Grant
	return func() error { return r.engine.Revoke(r.t.Context(), r.run.Conversation, grant, ann) }
}

// secondCall brings a run to its end whose grant was revoked.
func (r *round) secondCall(errs []error) (winner string) {
	if wins(errs) != len(errs) {
		r.fatalf("%v", errs)
	}
	winner = "use"
	if r.await(append(ends, agent.StatusWaitingApproval)...) == agent.StatusWaitingApproval {
		winner = "revoke"
		r.must(r.decides(ann, agent.VerdictAllow, false)())
	}
	e := r.over()
	revoked := 0
	for _, rec := range r.records() {
		if _, ok := rec.Event.(agent.GrantRevoked); ok {
			revoked++
		}
	}
	if e.status != agent.StatusSucceeded || e.saved != 2 || e.decisions != 2 || revoked != 1 {
		r.fatalf("%+v, revoked %d times", e, revoked)
	}
	return winner
}
