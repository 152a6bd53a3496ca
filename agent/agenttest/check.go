package agenttest

import (
	"maps"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
)

// Check reports what may not be true of a conversation, whatever happened to
// it: a gap, a call with two results or, in a run that is over, with none, a
// call that ran without leave or ran twice without a word, something left open.
func Check(t testing.TB, m *journaltest.Memory, id agent.ConversationID) {
	t.Helper()
	CheckRecords(t, m.Records(id))
}

// CheckRecords is [Check] for records from any store: all of a conversation's,
// in order.
func CheckRecords(t testing.TB, records []agent.Record) {
	t.Helper()
	open := map[string]agent.RunID{} // attempts and interactions
	reviews := map[agent.AttemptID]agent.CallID{}
	epochs := map[agent.RunID]int{}
	for i, r := range records {
		if r.Seq != agent.Seq(i+1) {
			t.Errorf("record %d has the number %d", i+1, r.Seq)
		}
		switch e := r.Event.(type) {
		case agent.RunStarted:
			if e.Epoch != epochs[r.Run]+1 {
				t.Errorf("record %d: epoch %d follows %d", r.Seq, e.Epoch, epochs[r.Run])
			}
			epochs[r.Run] = e.Epoch
		case agent.ModelAttemptStarted:
			open[string(e.Attempt)] = r.Run
		case agent.ReviewStarted:
			open["review of "+string(e.Call)] = r.Run
			reviews[e.Attempt] = e.Call
		case agent.ModelUsage:
			delete(open, "review of "+string(reviews[e.Attempt]))
		case agent.ApprovalDecision:
			if e.Origin == agent.OriginReviewer {
				delete(open, "review of "+string(e.Call))
			}
		case agent.ModelAttemptFinished:
			if _, ok := open[string(e.Attempt)]; !ok {
				t.Errorf("record %d: %s is not open", r.Seq, e.Attempt)
			}
			delete(open, string(e.Attempt))
		case agent.ApprovalRequested:
			open[string(e.Interaction)] = r.Run
		case agent.ReconcileRequested:
			open[string(e.Interaction)] = r.Run
		case agent.QuestionAsked:
			open[string(e.Interaction)] = r.Run
		case agent.SafetyRequested:
			open[string(e.Interaction)] = r.Run
		case agent.InteractionClosed:
			if _, ok := open[string(e.Interaction)]; !ok {
				t.Errorf("record %d: %s is not open", r.Seq, e.Interaction)
			}
			delete(open, string(e.Interaction))
		case agent.RunFinished:
			for name, run := range open {
				if run == r.Run {
					t.Errorf("record %d: %s is left open", r.Seq, name)
				}
			}
		}
	}
	checkCalls(t, records)
	checkGrants(t, records)
}

// CheckMoves reports records of a conversation that were not legal moves of
// their run.
func CheckMoves(t testing.TB, records []agent.Record) {
	t.Helper()
	runs := map[agent.RunID]*agent.RunState{}
	for _, r := range records {
		if r.Run == "" {
			continue
		}
		s := runs[r.Run]
		if s == nil {
			s = &agent.RunState{}
			runs[r.Run] = s
		}
		if !agent.Legal(s.Status, r.Event.Kind()) {
			t.Errorf("record %d: %s is not legal for a run that is %q", r.Seq, r.Event.Kind(), s.Status)
		}
		s.Apply(r)
	}
}

// checkGrants reports a call that a grant allowed which did not stand.
func checkGrants(t testing.TB, records []agent.Record) {
	t.Helper()
	standing := map[agent.GrantID]agent.Record{}
	tools := map[agent.CallID]agent.ToolCallRequested{}
	bypassed := agent.Seq(0)        // since when approvals are off, 0 while they are on
	each := map[agent.CallID]bool{} // a rule wants a person each time
	for _, r := range records {
		switch e := r.Event.(type) {
		case agent.ApprovalRequested:
			for _, b := range e.Calls {
				each[b.Call] = b.Rule != ""
			}
		case agent.ToolCallRequested:
			tools[e.Call] = e
		case agent.GrantCreated:
			standing[e.Grant] = r
		case agent.GrantRevoked:
			delete(standing, e.Grant)
		case agent.BypassStarted:
			bypassed = r.Seq
		case agent.BypassEnded:
			bypassed = 0
		case agent.Rewound:
			if bypassed > e.To {
				bypassed = 0
			}
			maps.DeleteFunc(standing, func(_ agent.GrantID, created agent.Record) bool { return created.Seq > e.To })
		case agent.ApprovalDecision:
			grant, stands := standing[e.Grant].Event.(agent.GrantCreated)
			call := tools[e.Call]
			if (e.Origin == agent.OriginGrant || e.Grant != "") && (!stands || each[e.Call] || grant.Tool != call.Tool || grant.Definition != call.Definition || call.Connector != "") {
				t.Errorf("record %d: no grant allows %s", r.Seq, e.Call)
			}
			if e.Origin == agent.OriginBypass && (bypassed == 0 || e.Interaction != "") {
				t.Errorf("record %d: no bypass allows %s", r.Seq, e.Call)
			}
		}
	}
}

// A checkedCall is what the records said of a call.
type checkedCall struct {
	agent.ToolCallRequested
	run               agent.RunID
	started, finished int
	allowed           string // the binding that a person allowed
	again             bool   // a person said so, since the last start
}

func checkCalls(t testing.TB, records []agent.Record) {
	t.Helper()
	calls := map[agent.CallID]*checkedCall{}
	for _, r := range records {
		switch e := r.Event.(type) {
		case agent.ToolCallRequested:
			calls[e.Call] = &checkedCall{ToolCallRequested: e, run: r.Run}
		case agent.ApprovalDecision:
			if c := calls[e.Call]; e.Verdict == agent.VerdictAllow {
				c.allowed = e.Binding
			} else {
				c.allowed = ""
			}
		case agent.ReconcileAnswered:
			calls[e.Call].again = e.Answer == agent.ReconcileRunAgain
		case agent.ToolCallStarted:
			c := calls[e.Call]
			if c.finished > 0 || (c.started > 0) != e.Again {
				t.Errorf("record %d: %s starts, was started %d times and finished %d times", r.Seq, e.Call, c.started, c.finished)
			}
			if !c.ReadOnly && c.allowed != e.Binding {
				t.Errorf("record %d: %s runs as %q, allowed was %q", r.Seq, e.Call, e.Binding, c.allowed)
			}
			if !c.ReadOnly && e.Again && !c.again {
				t.Errorf("record %d: %s runs again, and nobody said so", r.Seq, e.Call)
			}
			c.started++
			c.again = false
		case agent.ToolCallFinished:
			if calls[e.Call].finished++; calls[e.Call].finished > 1 {
				t.Errorf("record %d: a second result of %s", r.Seq, e.Call)
			}
		case agent.RunFinished:
			for id, c := range calls {
				if c.run == r.Run && c.finished == 0 {
					t.Errorf("record %d: %s has no result", r.Seq, id)
				}
			}
		}
	}
}

// CheckRequests reports requests that hold a call without its result, or text
// of an attempt that was withdrawn.
func CheckRequests(t testing.TB, requests []providers.Request, outputs []agent.Output) {
	t.Helper()
	for n, r := range requests {
		var due []string // calls that wait for their result
		for _, m := range r.Messages {
			text := ""
			switch m := m.(type) {
			case providers.ToolResult:
				if len(due) == 0 || due[0] != m.CallID {
					t.Errorf("request %d: result of %s, due are %q", n+1, m.CallID, due)
					continue
				}
				due = due[1:]
				continue
			case providers.AssistantMessage:
				text = m.Text
				for _, c := range m.Calls {
					due = append(due, c.ID)
				}
				if len(due) > len(m.Calls) {
					t.Errorf("request %d: calls without a result: %q", n+1, due)
				}
			case providers.UserMessage:
				if len(due) > 0 {
					t.Errorf("request %d: calls without a result: %q", n+1, due)
				}
			}
			for _, o := range outputs {
				for _, s := range o.Segments {
					if o.Withdrawn && text != "" && strings.Contains(text, s.Text) {
						t.Errorf("request %d holds %s of attempt %s, which was withdrawn", n+1, quote(s.Text), o.Attempt)
					}
				}
			}
		}
		if len(due) > 0 {
			t.Errorf("request %d: calls without a result: %q", n+1, due)
		}
	}
}
