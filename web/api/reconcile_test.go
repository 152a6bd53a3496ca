package api_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/web/webtest"
)

// unknown is a run of the admin whose call had begun when a server stopped, as
// the journal has it once the next server has looked.
func (w *world) unknown(by agent.Actor) sent {
	w.t.Helper()
	return w.left(by,
		agent.ModelAttemptFinished{Attempt: "a_1", Outcome: agent.AttemptCompleted},
		agent.AssistantMessage{Attempt: "a_1", Text: "I note it.", Finish: providers.FinishToolCalls},
		agent.ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "notes_write", Title: "Write a note", Arguments: `{"title":"A","text":"one"}`, Definition: "d"},
		agent.ToolCallStarted{Call: "t_1"},
		agent.RunStarted{Epoch: 2, Boot: "b_2", Reclaimed: true},
		agent.ReconcileRequested{Interaction: "i_1", Call: "t_1"},
		agent.RunWaiting{For: agent.StatusWaitingInput},
	)
}

// left is a run as a server has left it: after its first attempt began came
// what is given.
func (w *world) left(by agent.Actor, since ...agent.Event) sent {
	w.t.Helper()
	ctx := w.t.Context()
	agents, err := w.s.DB.Agents().List(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	m := agent.MessageID("m_1")
	id := agent.ConversationFor(by.User, m)
	run := agent.RunFor(id, m)
	var entries []agent.Entry
	for _, e := range append([]agent.Event{
		agent.UserMessage{Message: m, Text: "Note it.", Author: by},
		agent.RunCreated{Message: m, AgentName: agents[0].Name, Model: agents[0].Model},
		agent.RunStarted{Epoch: 1, Boot: "b_1"},
		agent.ModelAttemptStarted{Attempt: "a_1", Step: 1, Number: 1, Of: 3},
	}, since...) {
		entries = append(entries, agent.Entry{Run: run, Event: e})
	}
	created := agent.ConversationCreated{Owner: by.User, Agent: agents[0].ID, AgentName: agents[0].Name, Model: agents[0].Model}
	batch := agent.Batch{Conversation: id, At: w.s.Clock.Now(), Entries: append([]agent.Entry{{Event: created}}, entries...)}
	if _, err := w.s.DB.Journal().Append(ctx, batch); err != nil {
		w.t.Fatal(err)
	}
	return sent{RunID: string(run), ConversationID: string(id)}
}

// What nobody can know is asked, in the conversation, the run and the stream,
// and told as it is answered.
func TestReconcile(t *testing.T) {
	t.Parallel()
	for answer, expect := range map[string]string{
		"happened": `expect result "Seen in the list."`, "not_happened": `expect result "Seen in the list."`,
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, expect+"\ntext \"I see.\"\nfinish stop")
			p, signer := w.runner(), w.signer()
			u, err := w.s.DB.Users().ByEmail(t.Context(), webtest.AdminEmail)
			if err != nil {
				t.Fatal(err)
			}
			s := w.unknown(agent.Actor{User: u.ID, Name: u.Name})
			if c := p.read(s.ConversationID); c.PendingReconcile == nil || c.PendingReconcile.Call.Name != "notes_write" || c.PendingApproval != nil || c.PendingQuestion != nil {
				t.Errorf("the conversation waits for %+v", c.PendingReconcile)
			}
			if r := p.readRun(s.RunID); len(r.Interruptions) != 1 || r.Interruptions[0].Kind != "reconcile" || r.Interruptions[0].Reconcile.Call.CallID != "t_1" {
				t.Errorf("the run waits for %+v", r.Interruptions)
			}
			l := p.stream(s.RunID, "")
			want := "state:pending/accepted state:running/claimed tool:notes_write/start state:running/reclaimed state:waiting_input/reconcile reconcile"
			if got := show(l.until("reconcile")); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			path := "/v2/runs/" + s.RunID + "/reconcile"
			signer.do(http.MethodPost, path, `{"answer":"perhaps"}`).refused(t, "no such answer", http.StatusUnprocessableEntity, "invalid_request")
			p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/answer", `{"answers":[]}`).refused(t, "as a question", http.StatusConflict, "run_not_waiting")
			said := `{"answer":"` + answer + `","note":"Seen in the list."}`
			signer.call(http.MethodPost, path, said, http.StatusOK, nil)
			signer.call(http.MethodPost, path, said, http.StatusOK, nil)
			signer.do(http.MethodPost, path, `{"answer":"run_again"}`).refused(t, "otherwise", http.StatusConflict, "run_not_waiting")
			end := "tool:notes_write/end "
			if answer == "not_happened" {
				end = "tool:notes_write/end/error "
			}
			if got := show(l.rest()); got != "state:pending/answered state:running/claimed "+end+"token state:succeeded/finished done" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// A key does not say what became of a call of its own run.
func TestReconcile_OwnRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.program(webtest.AdminEmail, models.ScopeRead, models.ScopeDecide)
	u, err := w.s.DB.Users().ByEmail(t.Context(), webtest.AdminEmail)
	if err != nil {
		t.Fatal(err)
	}
	s := w.unknown(agent.Actor{User: u.ID, Name: u.Name, Key: p.key, KeyName: "Robot"})
	got := p.do(http.MethodPost, "/v2/runs/"+s.RunID+"/reconcile", `{"answer":"run_again"}`)
	got.refused(t, "its own run", http.StatusForbidden, "own_run")
	if !strings.Contains(got.text, "started") {
		t.Errorf("got %s", got.text)
	}
}
