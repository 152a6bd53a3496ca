package agent

import "slices"

func (t *Timeline) applyCall(run *RunItem, rec Record) {
	if t.calls == nil {
		t.calls = make(map[CallID]*CallItem)
	}
	switch e := rec.Event.(type) {
	case ToolCallRequested:
		t.calls[e.Call] = &CallItem{ToolCallRequested: e, State: CallRequested, At: rec.At}
	case ToolCallStarted:
		if c := t.calls[e.Call]; c != nil {
			c.State, c.At, c.Again = CallRunning, rec.At, e.Again
			t.putCall(run, c)
		}
	case ToolCallFinished:
		if c := t.calls[e.Call]; c != nil {
			c.Outcome, c.Result, c.Took = e.Outcome, e.Result, millis(e.DurationMS)
			started := c.State == CallRunning
			c.State = CallFinished
			if card := run.refusal(e.Call); card != nil && !started {
				t.put(run, card) // it says what became of the call
			} else {
				t.putCall(run, c)
			}
		}
	case ApprovalRequested:
		card := &ApprovalItem{Interaction: e.Interaction, Run: run.ID, ExpiresAt: e.ExpiresAt, At: rec.At}
		for _, b := range e.Calls {
			if c := t.calls[b.Call]; c != nil {
				card.Calls = append(card.Calls, &ApprovalCall{CallItem: c, Binding: b.Binding, Rule: b.Rule})
			}
		}
		t.put(run, card)
	case ReviewStarted:
		run.Reviewing = t.calls[e.Call]
		t.note(Change{What: RunChanged, Run: run.ID})
	case ApprovalDecision:
		if e.Origin == OriginReviewer {
			run.Reviewing = nil
			t.note(Change{What: RunChanged, Run: run.ID})
		}
		t.decide(run, rec, e)
	case QuestionAsked:
		if c := t.calls[e.Call]; c != nil {
			t.put(run, &QuestionItem{Interaction: e.Interaction, Run: run.ID, Call: c, Questions: e.Questions, ExpiresAt: e.ExpiresAt, At: rec.At})
		}
	case QuestionAnswered:
		if i, ok := run.Item(string(e.Interaction)).(*QuestionItem); ok {
			i.Answer, i.AnsweredAt = &e, rec.At
			t.put(run, i)
		}
	case ReconcileRequested:
		if c := t.calls[e.Call]; c != nil {
			t.put(run, &ReconcileItem{Interaction: e.Interaction, Run: run.ID, Call: c, Lost: e.Lost, At: rec.At})
		}
	case ReconcileAnswered:
		if i, ok := run.Item(string(e.Interaction)).(*ReconcileItem); ok {
			i.Answer, i.AnsweredAt = &e, rec.At
			t.put(run, i)
		}
	case SafetyRequested:
		t.put(run, &SafetyItem{SafetyRequested: e, Run: run.ID, Repeated: t.calls[e.Call], At: rec.At})
	case SafetyAnswered:
		if i, ok := run.Item(string(e.Interaction)).(*SafetyItem); ok {
			i.Answer, i.AnsweredAt = &e, rec.At
			t.put(run, i)
		}
	case InteractionClosed:
		switch i := run.Item(string(e.Interaction)).(type) {
		case *ApprovalItem:
			i.Closed = e.How
			t.put(run, i)
		case *QuestionItem:
			i.Closed = e.How
			t.put(run, i)
		case *ReconcileItem:
			i.Closed = e.How
			t.put(run, i)
		case *SafetyItem:
			i.Closed = e.How
			t.put(run, i)
		}
	}
}

// decide notes the first verdict that settles a call, on its card if it has one.
func (t *Timeline) decide(run *RunItem, rec Record, e ApprovalDecision) {
	c := t.calls[e.Call]
	if c == nil || c.Decision != nil {
		return
	}
	if e.Verdict == VerdictUnsure {
		c.Review = &e // its card comes later
		return
	}
	c.Decision, c.DecidedAt = &e, rec.At
	if card, ok := run.Item(string(e.Interaction)).(*ApprovalItem); ok {
		t.put(run, card)
	}
}

// refusal returns the card of the run that says what became of a call that did
// not run, or nil. One that says that the call was allowed does not.
func (r *RunItem) refusal(id CallID) Item {
	for _, item := range r.Items {
		switch card := item.(type) {
		case *ApprovalItem:
			if slices.ContainsFunc(card.Calls, func(c *ApprovalCall) bool {
				return c.Call == id && (c.Decision == nil || c.Decision.Verdict != VerdictAllow)
			}) {
				return card
			}
		case *QuestionItem:
			if card.Call.Call == id {
				return card
			}
		}
	}
	return nil
}

// putCall adds a call to those that its run's last item holds, or after that
// item, or says that the call changed in place.
func (t *Timeline) putCall(run *RunItem, c *CallItem) {
	if _, at := run.Call(c.Call); at == nil {
		last, ok := lastItem(run).(*CallsItem)
		if !ok {
			t.put(run, &CallsItem{Calls: []*CallItem{c}})
			return
		}
		last.Calls = append(last.Calls, c)
	}
	t.note(Change{What: CallPut, Run: run.ID, Key: string(c.Call)})
}

func lastItem(run *RunItem) Item {
	if len(run.Items) == 0 {
		return nil
	}
	return run.Items[len(run.Items)-1]
}

// Call returns a call that is among the run's items, and the item that holds
// it, or nil.
func (r *RunItem) Call(id CallID) (*CallItem, *CallsItem) {
	for _, item := range slices.Backward(r.Items) {
		calls, ok := item.(*CallsItem)
		if !ok {
			continue
		}
		for _, c := range slices.Backward(calls.Calls) {
			if c.Call == id {
				return c, calls
			}
		}
	}
	return nil, nil
}
