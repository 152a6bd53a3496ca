package agent

import (
	"slices"
	"time"
)

// A Timeline is the projection that a page shows. It may be folded from any
// record that starts a run: runs that began earlier are not in it.
//
// Its items are changed in place by Apply. It is not safe for concurrent use.
type Timeline struct {
	Seq   Seq
	Title string
	Runs  []*RunItem // oldest first
	Queue []QueuedMessage
	// Copied is what the conversation began with, nil if it began with nothing
	// or earlier than the timeline.
	Copied *HistoryCopied

	calls   map[CallID]*CallItem
	changes []Change
	noted   map[Change]bool // what is in changes
}

// A Change names what Apply changed.
type Change struct {
	What ChangeKind
	Run  RunID  // for the kinds that concern a run
	Key  string // for ItemPut and ItemRemoved; the call of CallPut
}

// ChangeKind is what a [Change] concerns.
type ChangeKind string

const (
	RunAdded     ChangeKind = "run_added"
	RunChanged   ChangeKind = "run_changed" // its status, or what it has used
	ItemPut      ChangeKind = "item_put"    // new, or changed in place
	CallPut      ChangeKind = "call_put"    // the same of a call in a CallsItem that was there
	ItemRemoved  ChangeKind = "item_removed"
	QueueChanged ChangeKind = "queue_changed"
	TitleChanged ChangeKind = "title_changed"
	// ArchiveChanged says that the conversation was archived or is back.
	ArchiveChanged ChangeKind = "archive_changed"
	// GrantsChanged says that a tool was allowed for the conversation, or that
	// this was revoked.
	GrantsChanged ChangeKind = "grants_changed"
	// BypassChanged says that approvals were switched off or on.
	BypassChanged ChangeKind = "bypass_changed"
	Rebuilt       ChangeKind = "rebuilt" // everything: show it anew; it comes alone
)

// Take returns what changed since the last Take, in order and without
// repeats, and forgets it.
func (t *Timeline) Take() []Change {
	list := t.changes
	t.changes, t.noted = nil, nil
	return list
}

// Forget drops the runs that are over: nothing more comes to them.
func (t *Timeline) Forget() {
	t.Runs = slices.DeleteFunc(t.Runs, func(r *RunItem) bool { return r.Status.Terminal() })
	if len(t.Runs) == 0 {
		t.calls = nil
	}
}

func (t *Timeline) note(c Change) {
	if t.noted[c] || t.noted[Change{What: Rebuilt}] {
		return
	}
	if t.noted == nil {
		t.noted = make(map[Change]bool)
	}
	t.noted[c] = true
	t.changes = append(t.changes, c)
}

// Run returns a run, or nil.
func (t *Timeline) Run(id RunID) *RunItem {
	for _, r := range slices.Backward(t.Runs) {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// Item returns the item with a key, or nil.
func (r *RunItem) Item(key string) Item {
	for _, i := range slices.Backward(r.Items) {
		if i.Key() == key {
			return i
		}
	}
	return nil
}

// Apply folds a record into the timeline. A record that it has seen changes
// nothing.
func (t *Timeline) Apply(rec Record) {
	if rec.Seq <= t.Seq {
		return
	}
	t.Seq = rec.Seq
	switch e := rec.Event.(type) {
	case ConversationTitled:
		t.Title = e.Title
		t.note(Change{What: TitleChanged})
	case HistoryCopied:
		t.Copied = &e
	case ConversationArchived, ConversationUnarchived:
		t.note(Change{What: ArchiveChanged})
	case GrantCreated, GrantRevoked:
		t.note(Change{What: GrantsChanged})
	case BypassStarted, BypassEnded:
		t.note(Change{What: BypassChanged})
	case MessageQueued, QueuedMessageEdited, QueuedMessageRemoved:
		t.applyQueue(rec)
	case Rewound:
		t.Runs = slices.DeleteFunc(t.Runs, func(r *RunItem) bool { return r.FirstSeq > e.To })
		t.changes, t.noted = nil, nil
		t.note(Change{What: Rebuilt})
	case UserMessage:
		t.applyQueue(rec)
		t.Runs = append(t.Runs, &RunItem{ID: rec.Run, FirstSeq: rec.Seq, Message: e, CreatedAt: rec.At})
		t.note(Change{What: RunAdded, Run: rec.Run})
	default:
		if run := t.Run(rec.Run); run != nil {
			t.applyRun(run, rec)
		}
	}
}

// applyQueue folds in a record that may change the queue. It always counts as
// a change: a timeline that began at a run does not know the messages that
// waited by then.
func (t *Timeline) applyQueue(rec Record) {
	h := Head{Queue: t.Queue}
	h.Apply(rec)
	t.Queue = h.Queue
	t.note(Change{What: QueueChanged})
}

func (t *Timeline) applyRun(run *RunItem, rec Record) {
	if status := run.Status.next(rec.Event); status != run.Status {
		run.Status = status
		t.note(Change{What: RunChanged, Run: run.ID})
	}
	switch e := rec.Event.(type) {
	case RunCreated:
		run.AgentName, run.Model, run.Output = e.AgentName, e.Model, e.Output
	case RunFinished:
		t.finishRun(run, rec, e)
	case ModelAttemptStarted, ModelAttemptFinished, ProviderError, RetryScheduled, ReasoningDisplayLimited, ModelUsage, AssistantMessage, OutputWithheld:
		t.applyAttempt(run, rec)
	default:
		t.applyCall(run, rec)
	}
}

// finishRun turns what is provisional into the record, or withdraws it
// (contract A5, A7, A12).
func (t *Timeline) finishRun(run *RunItem, rec Record, e RunFinished) {
	run.EndedAt, run.Reviewing = rec.At, nil
	for _, item := range slices.Clone(run.Items) {
		switch i := item.(type) {
		case *AttemptItem:
			t.finishAttempt(run, i, e.Status)
		case *ReasoningItem:
			if e.Status != StatusSucceeded {
				t.remove(run, i.Key())
			}
		}
	}
	if e.Status != StatusSucceeded || e.StopReason != "" {
		t.put(run, &NoticeItem{Run: run.ID, Status: e.Status, StopReason: e.StopReason, Failure: e.Failure, By: e.By, At: rec.At})
	}
}

func (t *Timeline) finishAttempt(run *RunItem, a *AttemptItem, status RunStatus) {
	switch {
	case a.Retry != nil && !a.Retried:
		a.Retried = true
		t.put(run, a)
	case a.State == AttemptProvisional && status == StatusSucceeded:
		a.State = AttemptFinal
		t.put(run, a)
	case a.State == AttemptProvisional, a.State == AttemptOpen:
		t.withdraw(run, a)
	}
}

// put adds an item at the end of its run, or says that it changed in place.
func (t *Timeline) put(run *RunItem, item Item) {
	if run.Item(item.Key()) == nil {
		run.Items = append(run.Items, item)
	}
	t.note(Change{What: ItemPut, Run: run.ID, Key: item.Key()})
}

func (t *Timeline) remove(run *RunItem, key string) {
	n := len(run.Items)
	run.Items = slices.DeleteFunc(run.Items, func(i Item) bool { return i.Key() == key })
	if len(run.Items) < n {
		t.note(Change{What: ItemRemoved, Run: run.ID, Key: key})
	}
}

// SetDraft gives the open attempt the text that has arrived so far. A draft of
// another attempt is passed over.
func (t *Timeline) SetDraft(d Draft) {
	for _, run := range slices.Backward(t.Runs) {
		attempt, ok := run.Item(string(d.Attempt)).(*AttemptItem)
		if !ok {
			continue
		}
		if attempt.State == AttemptOpen {
			attempt.Text = d.Answer
			if r, ok := run.Item(string(d.Attempt) + "-reasoning").(*ReasoningItem); ok {
				r.Text = d.Reasoning
			}
		}
		return
	}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
