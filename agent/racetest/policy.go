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
