package agent

import "slices"

// maxAttempts is how many tries a run shows. Older failed ones leave the
// screen, not the journal (contract A11).
const maxAttempts = 8

func (t *Timeline) applyAttempt(run *RunItem, rec Record) {
	switch e := rec.Event.(type) {
	case ModelAttemptStarted:
		t.startAttempt(run, rec, e)
	case ModelAttemptFinished:
		if a := run.attempt(e.Attempt); a != nil {
			a.Outcome, a.Took = e.Outcome, millis(e.DurationMS)
			if e.Outcome == AttemptCompleted {
				a.State = AttemptProvisional
				t.put(run, a)
			} else {
				t.withdraw(run, a)
			}
		}
	case ProviderError:
		if a := run.attempt(e.Attempt); a != nil {
			a.Error = &e
			t.put(run, a)
		}
	case OutputWithheld:
		if a := run.attempt(e.Attempt); a != nil {
			a.Withheld = &e
			t.put(run, a)
		}
	case RetryScheduled:
		if a := run.attempt(e.Attempt); a != nil {
			a.Retry = &e
			t.put(run, a)
		}
	case ModelUsage:
		run.Usage.Add(e)
		t.note(Change{What: RunChanged, Run: run.ID})
		if a := run.attempt(e.Attempt); a != nil && e.Known() {
			a.Usage = &e.Usage
		}
	case ReasoningDisplayLimited:
		if r, ok := run.Item(string(e.Attempt) + "-reasoning").(*ReasoningItem); ok {
			r.Limited = true
			t.put(run, r)
		}
	case AssistantMessage:
		t.commitAttempt(run, e)
	}
}

func (r *RunItem) attempt(id AttemptID) *AttemptItem {
	a, _ := r.Item(string(id)).(*AttemptItem)
	return a
}

func (t *Timeline) startAttempt(run *RunItem, rec Record, e ModelAttemptStarted) {
	for _, item := range run.Items {
		if a, ok := item.(*AttemptItem); ok && a.Retry != nil && !a.Retried {
			a.Retried = true
			t.put(run, a)
		}
	}
	if run.Output.Reasoning {
		t.put(run, &ReasoningItem{Attempt: e.Attempt, Open: true, At: rec.At})
	}
	t.put(run, &AttemptItem{Attempt: e.Attempt, Number: e.Number, Of: e.Of, State: AttemptOpen, At: rec.At})
	t.limitAttempts(run)
}

// limitAttempts takes the oldest withdrawn tries off the screen.
func (t *Timeline) limitAttempts(run *RunItem) {
	count := 0
	for _, item := range slices.Backward(slices.Clone(run.Items)) {
		if a, ok := item.(*AttemptItem); ok {
			if count++; count > maxAttempts && a.State == AttemptWithdrawn {
				t.remove(run, a.Key())
			}
		}
	}
}

// commitAttempt gives a completed attempt its stored text. One that only asks
// for tools has none, and no item.
func (t *Timeline) commitAttempt(run *RunItem, e AssistantMessage) {
	a := run.attempt(e.Attempt)
	if a == nil {
		return
	}
	a.Text, a.Refusal, a.Finish = e.Text, e.Refusal, e.Finish
	if a.Text == "" && a.Refusal == "" {
		t.remove(run, a.Key())
	} else {
		t.put(run, a)
	}
	r, ok := run.Item(string(e.Attempt) + "-reasoning").(*ReasoningItem)
	if !ok {
		return
	}
	if r.Text, r.Open = e.Reasoning, false; r.Text == "" {
		t.remove(run, r.Key())
	} else {
		t.put(run, r)
	}
}

// withdraw takes an attempt's text and reasoning away (contract A9).
func (t *Timeline) withdraw(run *RunItem, a *AttemptItem) {
	t.remove(run, string(a.Attempt)+"-reasoning")
	a.State, a.Text, a.Refusal = AttemptWithdrawn, "", ""
	t.put(run, a)
}
