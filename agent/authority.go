package agent

import "time"

// gate decides on the calls of a step that nobody has decided on yet, and puts
// to a person what only a person can decide. Nothing of a step runs before all
// of it is decided.
func (w *worker) gate(h Head) (events []Event) {
	var card []BoundCall
	for _, c := range w.state.OpenCalls() {
		if c.Started || c.Decision != nil || c.Asked != nil {
			continue
		}
		said, person := w.rule(h, c)
		if said != nil {
			events = append(events, said)
		}
		if person {
			card = append(card, BoundCall{Call: c.ToolCallRequested.Call, Binding: bind(w.ref.Run, c.ToolCallRequested)})
		}
	}
	if len(card) > 0 {
		expires := w.now().Add(w.agent.Limits.Approval).UTC().Truncate(time.Millisecond)
		events = append(events,
			ApprovalRequested{Interaction: InteractionID(w.newID("i_")), Calls: card, ExpiresAt: expires},
			RunWaiting{For: StatusWaitingApproval})
	}
	return events
}

// rule asks the authorities over a call in their order (contract 2.4); the
// first that has something to say is the last to be asked. It returns what is
// recorded of that, nil for a call that just runs, and whether a person has to
// decide.
func (w *worker) rule(h Head, c *RunCall) (said Event, person bool) {
	tool, _ := w.offered(c.Tool)
	_, asks := tool.(Asker)
	blocked := w.blocked(c)
	grant := grantList(h.Grants).covering(c.ToolCallRequested)
	switch {
	case w.forbids(c):
		return w.verdict(c, VerdictDeny, OriginHardPolicy), false
	case blocked != "":
		return ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallError, Result: blocked}, false
	case c.ReadOnly, asks:
		return nil, false
	case grant != nil:
		d := w.verdict(c, VerdictAllow, OriginGrant)
		d.By, d.Grant, d.GrantedAt = grant.By, grant.Grant, grant.At
		return d, false
	}
	return nil, true
}

// verdict is one that no card led to.
func (w *worker) verdict(c *RunCall, v Verdict, o Origin) ApprovalDecision {
	return ApprovalDecision{
		Call: c.ToolCallRequested.Call, Tool: c.Tool, Binding: bind(w.ref.Run, c.ToolCallRequested), Verdict: v, Origin: o,
	}
}

func (w *worker) forbids(c *RunCall) bool {
	return w.policy != nil && w.policy.Forbids(c.ToolCallRequested)
}

// blocked says to the model why a call can't run, whoever would allow it; "" if
// it can.
func (w *worker) blocked(c *RunCall) string {
	tool, ok := w.offered(c.Tool)
	switch {
	case !ok || c.Definition == "":
		return resultNoTool
	case w.changed(c):
		return resultChanged
	case len(c.Arguments) > MaxArguments:
		return resultTooLong
	}
	if checker, ok := tool.(Checker); ok {
		return checker.Check(w.arguments(c))
	}
	return ""
}

// changed reports whether the tool is not the one that was decided on.
func (w *worker) changed(c *RunCall) bool {
	tool, ok := w.offered(c.Tool)
	return !ok || tool.Definition().hash() != c.Definition
}

// refusal checks once more, right before a call would run, whether it may, and
// returns what is recorded when it may not.
func (w *worker) refusal(c *RunCall) []Event {
	f := ToolCallFinished{Call: c.ToolCallRequested.Call, Outcome: CallDenied, Result: resultPolicy}
	d := c.Decision
	switch {
	case c.Expired:
		f.Outcome, f.Result = CallExpired, resultExpired
	case d != nil && d.Verdict != VerdictAllow && d.Origin == OriginHuman:
		f.Result = withReason(resultDenied, "The person's reason", d.Reason)
	case d != nil && d.Verdict != VerdictAllow:
	case w.forbids(c):
		return []Event{w.verdict(c, VerdictDeny, OriginHardPolicy), f}
	case w.changed(c):
		f.Outcome, f.Result = CallError, resultChanged
	case d == nil && !c.ReadOnly, d != nil && d.Binding != bind(w.ref.Run, c.ToolCallRequested):
	default:
		return nil
	}
	return []Event{f}
}
