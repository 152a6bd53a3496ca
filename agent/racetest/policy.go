package racetest

import "countersign/agent"

// rule returns what has a rule hold for the owner of the round.
func (r *round) rule(do agent.PolicyVerb, hard bool) func() error {
	return func() error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.rules = append(r.rules, agent.PolicyRule{Name: string(r.run.Run), Do: do, Hard: hard, Role: agent.Role(r.owner.User)})
		return nil
	}
}

// What was approved has run before a rule forbids it, or the rule is on record
// and it does not run.
func approveForbid(r *round) string {
	r.alone()
	r.begin()
	errs := r.atOnce(r.decides(r.owner, agent.VerdictAllow, false), r.rule(agent.PolicyDeny, true))
	e := r.over()
	last := newest[agent.ApprovalDecision](r)
	forbidden := last.Origin == agent.OriginHardPolicy && last.Rule != ""
	if wins(errs) != 2 || e.status != agent.StatusSucceeded || (e.saved == 0) != forbidden || (e.decisions == 2) != forbidden {
		r.fatalf("%v: %+v, %+v", errs, e, last)
	}
	if forbidden {
		return "forbid"
	}
	return "approve"
}

// A rule that comes as a call is decided on decides it, or leaves its card to a
// person.
func createRule(r *round) string {
	r.alone()
	errs := r.atOnce(r.create, r.rule(agent.PolicyDeny, false))
	winner := "rule"
	if r.await(append(ends, agent.StatusWaitingApproval)...) == agent.StatusWaitingApproval {
		winner = "card"
		r.must(r.decides(r.owner, agent.VerdictAllow, false)())
	}
	e := r.over()
	if wins(errs) != 2 || e.status != agent.StatusSucceeded || e.decisions != 1 || (e.saved == 1) != (winner == "card") {
		r.fatalf("%v: %+v", errs, e)
	}
	return winner
}

// A bypass that ends as it comes into use has allowed the second call, or that
// call asks; no call uses one that is over.
func bypassEnd(r *round) string {
	r.begin()
	r.must(r.engine.StartBypass(r.t.Context(), r.run.Conversation, r.owner))
	errs := r.atOnce(r.decides(ann, agent.VerdictAllow, false), func() error {
		return r.engine.EndBypass(r.t.Context(), r.run.Conversation, bob)
	})
	winner := "use"
	if r.await(append(ends, agent.StatusWaitingApproval)...) == agent.StatusWaitingApproval {
		winner = "end"
		r.must(r.decides(ann, agent.VerdictAllow, false)())
	}
	e := r.over()
	if wins(errs) != 2 || e.status != agent.StatusSucceeded || e.saved != 2 || e.decisions != 2 || r.head().Bypass != nil {
		r.fatalf("%v: %+v", errs, e)
	}
	return winner
}

// reviewed is the agent whose calls are judged.
const reviewed agent.AgentID = "reviewed"

const oneReview = `
	match system "You review"
	text "{\"verdict\":\"allow\"}"
	finish stop
	---
	match user "go"
	match results 0
	call call_1 save {"n":1}
	finish tool_calls
	---
	text "Done."
	finish stop
`

// Stop ends a run under review. A verdict that came too late for it runs
// nothing.
func reviewCancel(r *round) string {
	r.agent = reviewed
	r.must(r.create())
	errs := r.atOnce(r.cancels)
	e := r.over()
	switch {
	case errs[0] != nil, e.saved > 1, e.decisions > 1, e.saved > e.decisions:
		r.fatalf("%v: %+v", errs, e)
	case e.status == agent.StatusSucceeded && e.saved == 1:
		return "review"
	case e.status == agent.StatusCancelled:
		return "cancel"
	}
	r.fatalf("%+v", e)
	return ""
}

// A person can't decide what the reviewer has: there is no card.
func reviewDecide(r *round) string {
	r.agent = reviewed
	r.must(r.create())
	errs := r.atOnce(func() error {
		call := agent.CallDecision{Verdict: agent.VerdictDeny}
		for _, rec := range r.records() {
			if c, ok := rec.Event.(agent.ToolCallRequested); ok {
				call.Call = c.Call
			}
		}
		return r.engine.Decide(r.t.Context(), r.run, "none", ann, []agent.CallDecision{call})
	})
	r.onlyLate(errs)
	if e := r.over(); wins(errs) > 0 || e.status != agent.StatusSucceeded || e.saved != 1 || e.decisions != 1 {
		r.fatalf("%v: %+v", errs, e)
	}
	return "review"
}
