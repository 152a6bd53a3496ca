package api_test

import (
	"net/http"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

// stopped is a run of the admin that a guardrail has stopped.
func (w *world) stopped(by agent.Actor) sent {
	w.t.Helper()
	held := agent.OutputWithheld{Attempt: "a_1", Guardrail: "No prices", How: agent.GuardrailPattern, Subject: agent.SubjectAnswer}
	return w.left(by,
		agent.ModelAttemptFinished{Attempt: "a_1", Outcome: agent.AttemptWithheld}, held,
		agent.SafetyRequested{Interaction: "i_1", Cause: agent.SafetyBlocked, Withheld: &held, Times: 2},
		agent.RunWaiting{For: agent.StatusWaitingInput},
	)
}

// A run that was stopped for safety is told of in the conversation, the run and
// the stream, each time as an interruption of its own kind (contract V4); it
// goes on or fails as it is said.
func TestSafety(t *testing.T) {
	t.Parallel()
	for answer, rest := range map[string]string{
		"continue": "state:pending/answered state:running/claimed token state:succeeded/finished done",
		"stop":     "state:pending/answered state:running/claimed state:failed/finished error:output_blocked",
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			script := map[string]string{"continue": "match user \"Respond again\"\ntext \"Gladly.\"\nfinish stop"}[answer]
			w := newWorld(t, script)
			p, signer := w.runner(), w.signer()
			u, err := w.s.DB.Users().ByEmail(t.Context(), webtest.AdminEmail)
			if err != nil {
				t.Fatal(err)
			}
			s := w.stopped(agent.Actor{User: u.ID, Name: u.Name})
			if c := p.read(s.ConversationID); c.PendingSafety == nil || *c.PendingSafety.Guardrail != "No prices" || c.PendingSafety.Call != nil || c.PendingReconcile != nil {
				t.Errorf("the conversation waits for %+v", c.PendingSafety)
			}
			if r := p.readRun(s.RunID); len(r.Interruptions) != 1 || r.Interruptions[0].Kind != "safety" || r.Interruptions[0].Safety.Cause != "output_blocked" {
				t.Errorf("the run waits for %+v", r.Interruptions)
			}
			l := p.stream(s.RunID, "")
			want := "state:pending/accepted state:running/claimed attempt:withheld state:waiting_input/safety safety"
			if got := show(l.until("safety")); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			path := "/v2/runs/" + s.RunID + "/safety"
			signer.do(http.MethodPost, path, `{"answer":"perhaps"}`).refused(t, "no such answer", http.StatusUnprocessableEntity, "invalid_request")
			p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/answer", `{"answers":[]}`).refused(t, "as a question", http.StatusConflict, "run_not_waiting")
			signer.do(http.MethodPost, "/v2/runs/"+s.RunID+"/approval", decisions("once", callToSign{CallID: "t_1"})).refused(t, "as an approval", http.StatusUnprocessableEntity, "invalid_request")
			said := `{"answer":"` + answer + `"}`
			signer.call(http.MethodPost, path, said, http.StatusOK, nil)
			signer.call(http.MethodPost, path, said, http.StatusOK, nil)
			other := map[string]string{"continue": "stop", "stop": "continue"}[answer]
			signer.do(http.MethodPost, path, `{"answer":"`+other+`"}`).refused(t, "otherwise", http.StatusConflict, "run_not_waiting")
			if got := show(l.rest()); got != rest {
				t.Errorf("got %s, want %s", got, rest)
			}
			if r := p.readRun(s.RunID); answer == "stop" && (r.Error == nil || r.Error.Code != "output_blocked") {
				t.Errorf("the run ended with %+v", r.Error)
			}
		})
	}
}

// A key does not let its own run go on.
func TestSafety_OwnRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.program(webtest.AdminEmail, models.ScopeRead, models.ScopeDecide)
	u, err := w.s.DB.Users().ByEmail(t.Context(), webtest.AdminEmail)
	if err != nil {
		t.Fatal(err)
	}
	s := w.stopped(agent.Actor{User: u.ID, Name: u.Name, Key: p.key, KeyName: "Robot"})
	p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/safety", `{"answer":"continue"}`).refused(t, "its own run", http.StatusForbidden, "own_run")
}
