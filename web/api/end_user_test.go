package api_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

// serveUser makes a token for an end user.
func (p *program) serveUser(external string) *program {
	p.t.Helper()
	var agents struct{ Data []struct{ ID string } }
	p.program(webtest.AdminEmail, models.ScopeRead).call(http.MethodGet, "/v2/agents", nil, http.StatusOK, &agents)
	var made struct {
		Token     string
		ExpiresAt string `json:"expires_at"`
	}
	p.call(http.MethodPost, "/v2/token", map[string]any{"agent": agents.Data[0].ID, "end_user": external, "name": "Nam"}, http.StatusCreated, &made)
	if !strings.HasPrefix(made.Token, models.EndUserTokenPrefix) {
		p.t.Fatalf("got %+v", made)
	}
	return &program{p.world, made.Token, p.key}
}

// An end user has their own conversations, signs their own calls as a person,
// and is nobody else.
func TestEndUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notes)
	server := w.program(webtest.AdminEmail, models.ScopeAdmin, models.ScopeRead, models.ScopeRun, models.ScopeDecide)
	nam, lan := server.serveUser("nam-1"), server.serveUser("lan-1")
	s := nam.start("Note it.")
	w.up.Release("start")
	r := nam.await(s, agent.StatusWaitingApproval)
	for name, other := range map[string]*program{"another end user": lan, "the server": server} {
		other.do(http.MethodGet, "/v2/runs/"+s.RunID, nil).refused(t, name, http.StatusNotFound, "run_not_found")
		other.do(http.MethodGet, "/v2/conversations/"+s.ConversationID, nil).refused(t, name, http.StatusNotFound, "conversation_not_found")
		other.do(http.MethodPost, approvalOf(s.RunID), decisions("once", r.Interruptions[0].Approval.Calls...)).refused(t, name, http.StatusNotFound, "run_not_found")
		if got := other.do(http.MethodGet, "/v2/conversations", nil); strings.Contains(got.text, s.ConversationID) {
			t.Errorf("%s lists %s", name, got.text)
		}
	}
	if got := w.s.Admin.Get("/c/" + s.ConversationID); got.Status != http.StatusNotFound {
		t.Errorf("on the page of the admin: got %d", got.Status)
	}
	// The same one, a token later.
	again := server.serveUser("nam-1")
	l := again.stream(s.RunID, "")
	l.until("approval")
	again.call(http.MethodPost, approvalOf(s.RunID), decisions("once", r.Interruptions[0].Approval.Calls...), http.StatusOK, nil)
	if got := show(l.rest()); !strings.HasSuffix(got, "done") {
		t.Errorf("got %s", got)
	}
	for rec, err := range w.s.DB.Journal().Read(t.Context(), agent.ConversationID(s.ConversationID), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := rec.Event.(agent.ApprovalDecision); ok && (d.Origin != agent.OriginHuman || d.By.Name != "Nam" || d.By.Key != "") {
			t.Errorf("the decision is %+v", d)
		}
	}
	for path, method := range map[string]string{"/v2/keys": http.MethodGet, "/v2/models": http.MethodGet, "/v2/token": http.MethodPost} {
		nam.do(method, path, struct{}{}).refused(t, path, http.StatusForbidden, "insufficient_scope")
	}
	nam.do(http.MethodPost, "/v2/conversations", `{"agent":"g_other"}`).refused(t, "another agent", http.StatusUnprocessableEntity, "invalid_request")
	nam.do(http.MethodPost, "/v2/conversations", `{"model":{"provider":"p","name":"m"}}`).refused(t, "another model", http.StatusUnprocessableEntity, "invalid_request")
	if page := w.s.Admin.Get("/settings/usage?by=person"); page.Status != http.StatusOK {
		t.Errorf("the usage page: %d", page.Status)
	}
}

func TestEndUser_TokenRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	server := w.program(webtest.AdminEmail, models.ScopeAdmin)
	for body, says := range map[string]string{
		`{"agent":"g_none","end_user":"x"}`: "no agent", `{"agent":"AGENT"}`: "end user", `{"agent":"AGENT","end_user":"` + strings.Repeat("x", 201) + `"}`: "200",
		`{"agent":"AGENT","end_user":"a\nb"}`: "end user", `{"agent":"AGENT","end_user":"x","name":"a\u0000b"}`: "name",
	} {
		agents, err := w.s.DB.Agents().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := server.do(http.MethodPost, "/v2/token", strings.Replace(body, "AGENT", string(agents[0].ID), 1))
		got.refused(t, body, http.StatusUnprocessableEntity, "invalid_request")
		if !strings.Contains(got.text, says) {
			t.Errorf("%s: got %s", body, got.text)
		}
	}
}

// A token ends with its hour, with its key and with the person of the key; what
// it follows ends with it, and with the person what it runs.
func TestEndUser_Ends(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, server *program){
		"its hour": func(w *world, _ *program) { w.s.Clock.Advance(models.EndUserTokenLasts) },
		"its key": func(w *world, server *program) {
			server.call(http.MethodDelete, "/v2/keys/"+string(server.key), nil, http.StatusNoContent, nil)
		},
		"the person": func(w *world, _ *program) {
			u, err := w.s.DB.Users().ByEmail(w.t.Context(), "second@example.com")
			if err == nil {
				err = w.s.Site.Disable(w.t.Context(), u.ID)
			}
			if err != nil {
				w.t.Fatal(err)
			}
		},
		"the role of the person": func(w *world, _ *program) {
			u, err := w.s.DB.Users().ByEmail(w.t.Context(), "second@example.com")
			if err == nil {
				err = w.s.DB.Users().SetRole(w.t.Context(), u.ID, models.RoleMember)
			}
			if err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "gate never\nfinish stop", webtest.API(quick))
			_, err := w.s.DB.Users().Create(t.Context(), models.NewUser{
				Email: "second@example.com", Name: "Second", Role: models.RoleAdmin, Password: models.NewSecret(webtest.Password),
			})
			if err != nil {
				t.Fatal(err)
			}
			server := w.program("second@example.com", models.ScopeAdmin)
			nam := server.serveUser("nam")
			s := nam.start("Go.")
			l := nam.stream(s.RunID, "")
			w.up.Reached("never")
			end(w, server)
			if got := show(l.rest()); strings.HasSuffix(got, "done") {
				t.Errorf("got %s", got)
			}
			nam.do(http.MethodGet, "/v2/runs/"+s.RunID, nil).refused(t, "afterwards", http.StatusUnauthorized, "unauthorized")
			h, err := w.s.DB.Journal().Head(t.Context(), agent.ConversationID(s.ConversationID))
			if want := name == "the person"; err != nil || (h.Run.Status == agent.StatusCancelled) != want {
				t.Errorf("the run is %+v, %v", h.Run, err)
			}
		})
	}
}

// An end user may allow a tool for the rest of their conversation.
func TestEndUser_Grants(t *testing.T) {
	t.Parallel()
	const call = "call c1 notes_write {\"title\":\"A\",\"text\":\"one\"}\nfinish tool_calls\n---\ntext \"Noted.\"\nfinish stop"
	w := newWorld(t, call+"\n---\n"+call)
	nam := w.program(webtest.AdminEmail, models.ScopeAdmin).serveUser("nam")
	s := nam.start("Note it.")
	calls := nam.await(s, agent.StatusWaitingApproval).Interruptions[0].Approval.Calls
	for range 2 { // the same again is no error
		nam.call(http.MethodPost, approvalOf(s.RunID), decisions("session", calls...), http.StatusOK, nil)
	}
	nam.await(s, agent.StatusSucceeded)
	again := nam.message(s.ConversationID, "Note it again.")
	nam.await(again, agent.StatusSucceeded)
	if got := show(nam.stream(again.RunID, "").rest()); strings.Contains(got, "waiting") || !strings.Contains(got, "tool:notes_write/start tool:notes_write/end ") {
		t.Errorf("got %s", got)
	}
}
