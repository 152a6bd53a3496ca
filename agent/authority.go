package agent

import "time"

// gate decides on the calls of a step that nobody has decided on yet, and puts
// to a person what only a person can decide, once the reviewer, if there is
// one, has judged that: it returns the calls that still are to be. Nothing of a
// step runs before all of it is decided.
func (w *worker) gate(h Head) (events []Event, judged []*RunCall) {
	var card []BoundCall
	for _, c := range w.state.OpenCalls() {
		if c.Started || c.Decision != nil || c.Asked != nil {
			continue
		}
		said, ask := w.rule(h, c)
		if said != nil {
			events = append(events, said)
		}
		if ask != nil && ask.Rule == "" && w.reviewable(h, c) {
			judged = append(judged, c)
		} else if ask != nil {
			card = append(card, *ask)
		}
	}
	if len(card) > 0 && len(judged) == 0 {
		expires := w.now().Add(w.agent.Limits.Approval).UTC().Truncate(time.Millisecond)
		events = append(events,
			ApprovalRequested{Interaction: InteractionID(w.newID("i_")), Calls: card, ExpiresAt: expires},
			RunWaiting{For: StatusWaitingApproval})
	}
	return events, judged
}

// rule asks the authorities over a call in their order (contract 2.4); the
// first that has something to say is the last to be asked. It returns what is
// recorded of that, and what a card says of a call that a person decides: both
// are nil for a call that just runs.
func (w *worker) rule(h Head, c *RunCall) (said Event, ask *BoundCall) {
	ask = &BoundCall{Call: c.ToolCallRequested.Call, Binding: bind(w.ref.Run, c.ToolCallRequested)}
	ruling, blocked := w.ruling(c), w.blocked(c)
	grant := grantList(h.Grants).covering(c.ToolCallRequested)
	switch {
	case ruling.Hard():
		return w.refused(c, ruling), nil
	case blocked != "":
		return ToolCallFinished{Call: ask.Call, Outcome: CallError, Result: blocked}, nil
	case ruling.Free:
		return nil, nil
	case ruling.Says() == PolicyDeny:
		return w.refused(c, ruling), nil
	case ruling.Says() == PolicyAsk:
		ask.Rule = ruling.Rule.Name
		return nil, ask
	case ruling.Says() == PolicyAllow:
		d := w.verdict(c, VerdictAllow, OriginApplicationPolicy)
		d.Rule = ruling.Rule.Name
		return d, nil
	case h.Bypass != nil:
		d := w.verdict(c, VerdictAllow, OriginBypass)
		d.By, d.GrantedAt = h.Bypass.By, h.Bypass.At
		return d, nil
	case grant != nil:
		d := w.verdict(c, VerdictAllow, OriginGrant)
		d.By, d.Grant, d.GrantedAt = grant.By, grant.Grant, grant.At
		return d, nil
	}
	return nil, ask
}

// verdict is one that no card led to.
func (w *worker) verdict(c *RunCall, v Verdict, o Origin) ApprovalDecision {
	return ApprovalDecision{
		Call: c.ToolCallRequested.Call, Tool: c.Tool, Binding: bind(w.ref.Run, c.ToolCallRequested), Verdict: v, Origin: o,
	}
}

// refused is the verdict of a rule that denies a call.
func (w *worker) refused(c *RunCall, by Ruling) ApprovalDecision {
	d := w.verdict(c, VerdictDeny, OriginApplicationPolicy)
	if by.Hard() {
		d.Origin = OriginHardPolicy
	}
	d.Rule = by.Rule.Name
	return d
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
	case w.breaks(c):
		return resultGuarded
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
	d, ruling := c.Decision, w.ruling(c)
	switch {
	case c.Expired:
		f.Outcome, f.Result = CallExpired, resultExpired
	case d != nil && d.Verdict != VerdictAllow && d.Origin == OriginHuman:
		f.Result = withReason(resultDenied, "The person's reason", d.Reason)
	case d != nil && d.Verdict != VerdictAllow && d.Origin == OriginReviewer:
		f.Result = withReason(resultReviewed, "The reviewer's reason", d.Reason)
	case d != nil && d.Verdict != VerdictAllow:
	case ruling.Hard():
		return []Event{w.refused(c, ruling), f}
	case w.changed(c):
		f.Outcome, f.Result = CallError, resultChanged
	case w.breaks(c):
		f.Result = resultGuarded
	case d == nil && !c.ReadOnly, d != nil && d.Binding != bind(w.ref.Run, c.ToolCallRequested):
	default:
		return nil
	}
	return []Event{f}
}
