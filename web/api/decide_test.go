package api_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

const twoNotes = `
text "Two notes."
call c1 notes_write {"title":"\u0041",  "text":"one"}
call c2 notes_write {"title":"B","text":"two"}
finish tool_calls
---
text "Done."
finish stop`

// waiting starts a run that waits for decisions.
func (p *program) waiting() (sent, []callToSign) {
	p.t.Helper()
	s := p.start("Note both.")
	r := p.await(s, agent.StatusWaitingApproval)
	if len(r.Interruptions) != 1 || r.Interruptions[0].Kind != "approval" {
		p.t.Fatalf("it waits for %+v", r.Interruptions)
	}
	return s, r.Interruptions[0].Approval.Calls
}

// What a key decides names the key, and is not what a person decides.
func TestDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoNotes)
	p, signer := w.runner(), w.signer()
	s, calls := p.waiting()
	c := p.read(s.ConversationID)
	if c.PendingApproval == nil || c.PendingApproval.Explanation != "Two notes." || len(c.PendingApproval.Calls) != 2 || c.PendingApproval.RunID != s.RunID || c.PendingQuestion != nil {
		t.Fatalf("the conversation waits for %+v", c.PendingApproval)
	}
	if got := string(calls[0].Arguments); got != `{"title":"\u0041","text":"one"}` {
		t.Errorf("the arguments are %s", got)
	}
	path := approvalOf(s.RunID)
	for name, body := range map[string]any{
		"nothing":               `{"decisions":[]}`,
		"no such verdict":       decisions("maybe", calls[0]),
		"a standing permission": decisions("session", calls[0]),
		"no such call":          decisions("once", callToSign{CallID: "t_none"}),
		"a long reason":         map[string]any{"decisions": []any{map[string]any{"call_id": calls[0].CallID, "decision": "deny", "reason": strings.Repeat("é", 513)}}},
	} {
		signer.do(http.MethodPost, path, body).refused(t, name, http.StatusUnprocessableEntity, "invalid_request")
	}
	signer.do(http.MethodPost, path, decisions("once", calls[0], calls[0])).refused(t, "twice", http.StatusConflict, "run_not_waiting")
	var r run
	signer.call(http.MethodPost, path, decisions("once", calls[0]), http.StatusOK, &r)
	if r.State != "waiting_approval" || len(r.Interruptions) != 1 || len(r.Interruptions[0].Approval.Calls) != 1 || r.Interruptions[0].Approval.Calls[0].CallID != calls[1].CallID {
		t.Errorf("after one: %+v", r)
	}
	signer.call(http.MethodPost, path, decisions("once", calls[0]), http.StatusOK, nil) // the same again
	signer.do(http.MethodPost, path, decisions("deny", calls[0])).refused(t, "otherwise", http.StatusConflict, "run_not_waiting")
	w.signer().do(http.MethodPost, path, decisions("once", calls[0])).refused(t, "by another key", http.StatusConflict, "run_not_waiting")
	signer.call(http.MethodPost, path, map[string]any{"decisions": []any{map[string]any{"call_id": calls[1].CallID, "decision": "deny", "reason": "Not that one."}}}, http.StatusOK, nil)
	if r := p.await(s, agent.StatusSucceeded); r.Result == nil || r.Result.FinalOutput != "Done." || len(r.Interruptions) != 0 || r.Error != nil {
		t.Errorf("the run is %+v", r)
	}
	signer.call(http.MethodPost, path, decisions("once", calls[0]), http.StatusOK, nil) // the same again, after the end
	signer.do(http.MethodPost, path, decisions("deny", calls[0])).refused(t, "after the end", http.StatusConflict, "run_not_waiting")

	verdicts := make(map[agent.CallID]agent.ApprovalDecision)
	outcomes := make(map[agent.CallID]agent.CallOutcome)
	for rec, err := range w.s.DB.Journal().Read(t.Context(), agent.ConversationID(s.ConversationID), 0) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := rec.Event.(type) {
		case agent.ApprovalDecision:
			verdicts[e.Call] = e
		case agent.ToolCallFinished:
			outcomes[e.Call] = e.Outcome
		}
	}
	for _, call := range calls {
		d := verdicts[agent.CallID(call.CallID)]
		if d.Origin != agent.OriginApplicationPolicy || d.By.Key != signer.key || d.By.KeyName != "Robot" || d.By.User == "" || d.Lapsed() {
			t.Errorf("the decision is %+v", d)
		}
	}
	if outcomes[agent.CallID(calls[0].CallID)] == agent.CallDenied || outcomes[agent.CallID(calls[1].CallID)] != agent.CallDenied {
		t.Errorf("the outcomes are %v", outcomes)
	}
	if page := w.s.Admin.Get("/c/" + s.ConversationID).Body; !strings.Contains(page, "a program with the key") {
		t.Error("the page does not say that a program decided")
	}
}

// A key does not sign what it asked for, with whatever scopes, however the run
// began.
func TestDecide_OwnRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate first\ntext \"One.\"\nfinish stop\n---"+twoNotes)
	p := w.program(webtest.AdminEmail, models.ScopeRead, models.ScopeRun, models.ScopeDecide)
	first := p.start("First.")
	s := p.message(first.ConversationID, "Note both.")
	if !s.Queued {
		t.Error("the second message does not wait")
	}
	w.up.Reached("first")
	w.up.Release("first")
	r := p.await(s, agent.StatusWaitingApproval)
	calls := r.Interruptions[0].Approval.Calls
	for _, verdict := range []string{"once", "deny"} {
		p.do(http.MethodPost, approvalOf(s.RunID), decisions(verdict, calls...)).refused(t, verdict, http.StatusForbidden, "own_run")
	}
	p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/reconcile", `{"answer":"happened"}`).refused(t, "reconcile", http.StatusConflict, "run_not_waiting")
	w.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("once", calls...), http.StatusOK, nil)
	p.await(s, agent.StatusSucceeded)
}

// The clock decides what is late; a call that a key had allowed by then runs.
func TestDecide_Expired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoNotes[:strings.Index(twoNotes, "---")])
	p, signer := w.runner(), w.signer()
	s, calls := p.waiting()
	if len(calls) != 2 {
		t.Fatalf("%d calls wait", len(calls))
	}
	signer.call(http.MethodPost, approvalOf(s.RunID), decisions("once", calls[0]), http.StatusOK, nil)
	// The engine keeps the real time: its own tests have a clock that moves.
	ref := agent.RunRef{Conversation: agent.ConversationID(s.ConversationID), Run: agent.RunID(s.RunID)}
	state := agent.RunState{}
	for rec, err := range w.s.DB.Journal().ReadRun(t.Context(), ref.Conversation, ref.Run) {
		if err != nil {
			t.Fatal(err)
		}
		state.Apply(rec)
	}
	card := state.Approval.Interaction
	state.Apply(agent.Record{Run: ref.Run, Seq: state.Seq + 1, Event: agent.InteractionClosed{Interaction: card, How: agent.ClosedExpired}})
	if c := state.Call(agent.CallID(calls[0].CallID)); c.Expired || c.Decision == nil {
		t.Errorf("the call that a key allowed is %+v", c)
	}
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/cancel", `{}`, http.StatusAccepted, nil)
	signer.do(http.MethodPost, approvalOf(s.RunID), decisions("once", calls[1])).refused(t, "withdrawn", http.StatusConflict, "run_not_waiting")
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	const asks = `
call c1 ask_user {"questions":[{"header":"A","question":"Which?","options":[{"label":"x"},{"label":"y"}]},{"header":"B","question":"Whom?","multi_select":true,"options":[{"label":"k"},{"label":"l"}]}]}
finish tool_calls
---
expect result "{\"answers\":{\"A\":\"(skipped)\",\"B\":[\"k\",\"l\"]}}"
text "Well."
finish stop
---
call c2 ask_user {"questions":[{"header":"A","question":"Which?","options":[{"label":"x"},{"label":"y"}]}]}
finish tool_calls
---
expect result "answer_in_own_words"
text "Well."
finish stop`
	p := newWorld(t, asks).runner()
	s := p.start("Ask.")
	r := p.await(s, agent.StatusWaitingInput)
	if len(r.Interruptions) != 1 || r.Interruptions[0].Question == nil || len(r.Interruptions[0].Question.Questions) != 2 {
		t.Fatalf("it waits for %+v", r.Interruptions)
	}
	if c := p.read(s.ConversationID); c.PendingQuestion == nil || c.PendingQuestion.CallID != r.Interruptions[0].Question.CallID {
		t.Errorf("the conversation waits for %+v", c.PendingQuestion)
	}
	path := "/v2/runs/" + s.RunID + "/answer"
	for _, body := range []string{
		`{"answers":[{"selected":["z"]}]}`, `{"answers":[{"selected":["x","y"]}]}`, `{"answers":[{"index":2}]}`,
		`{"answers":[{"index":-1}]}`, `{"answers":[{"index":0},{"index":0}]}`, `{"answers":[{},{},{}]}`,
	} {
		p.do(http.MethodPost, path, body).refused(t, body, http.StatusUnprocessableEntity, "invalid_request")
	}
	p.do(http.MethodPost, path, `{"call_id":"t_none","answers":[]}`).refused(t, "another call", http.StatusConflict, "run_not_waiting")
	const said = `{"answers":[{"index":1,"selected":["k","l"]}]}`
	p.call(http.MethodPost, path, said, http.StatusOK, nil)
	p.call(http.MethodPost, path, said, http.StatusOK, nil)
	p.do(http.MethodPost, path, `{"answers":[]}`).refused(t, "otherwise", http.StatusConflict, "run_not_waiting")
	p.await(s, agent.StatusSucceeded)
	p.call(http.MethodPost, path, said, http.StatusOK, nil)

	// A message answers as well, and starts no run.
	s = p.message(s.ConversationID, "Ask again.")
	p.await(s, agent.StatusWaitingInput)
	if answered := p.message(s.ConversationID, "Neither."); answered.RunID != s.RunID || answered.Queued {
		t.Errorf("got %+v", answered)
	}
	p.await(s, agent.StatusSucceeded)
}

func TestCancel_Waiting(t *testing.T) {
	t.Parallel()
	p := newWorld(t, twoNotes[:strings.Index(twoNotes, "---")]).runner()
	s, _ := p.waiting()
	var r run
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/cancel", nil, http.StatusAccepted, &r)
	if r.State != "cancelled" || r.Error == nil || r.Error.Code != "cancelled" || len(r.Interruptions) != 0 {
		t.Errorf("got %+v", r)
	}
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/cancel", nil, http.StatusOK, &r)
	p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/cancel", `{"why":"x"}`).refused(t, "a field", http.StatusUnprocessableEntity, "invalid_request")
	if c := p.read(s.ConversationID); c.PendingApproval != nil || c.Run.State != "cancelled" || len(c.Messages) != 1 {
		t.Errorf("the conversation is %+v", c)
	}
}

// A program that follows no stream sends, waits, decides and waits.
func TestRun_Wait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notes+"\n---\ngate never\nfinish stop")
	p := w.runner()
	s := p.start("Note it.")
	wait := func(seconds string) run {
		t.Helper()
		var r run
		p.call(http.MethodGet, "/v2/runs/"+s.RunID+"?wait="+seconds, nil, http.StatusOK, &r)
		return r
	}
	if r := wait("1"); r.State != "running" && r.State != "pending" {
		t.Errorf("after a second it is %s", r.State)
	}
	w.up.Release("start")
	r := wait("20")
	if r.State != "waiting_approval" || len(r.Interruptions) != 1 {
		t.Fatalf("it is %+v", r)
	}
	w.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("once", r.Interruptions[0].Approval.Calls...), http.StatusOK, nil)
	if r := wait("20"); r.State != "succeeded" || r.Result.FinalOutput != "It is noted." {
		t.Errorf("it is %+v", r)
	}
	for _, seconds := range []string{"-1", "61", "x"} {
		p.do(http.MethodGet, "/v2/runs/"+s.RunID+"?wait="+seconds, nil).refused(t, seconds, http.StatusUnprocessableEntity, "invalid_request")
	}
	s = p.message(s.ConversationID, "Again.")
	w.up.Reached("never")
	stopped := make(chan run)
	go func() { stopped <- wait("60") }()
	if err := w.s.Site.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := <-stopped; r.State != "running" {
		t.Errorf("when the server stops it is %s", r.State)
	}
}
