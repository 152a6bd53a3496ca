package api_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

func TestAccess_Tokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.runner()
	ask := func(header http.Header) reply {
		r := p.request(t.Context(), http.MethodGet, "/v2/agents", nil)
		r.Header = header
		return p.send(r)
	}
	for name, header := range map[string]http.Header{
		"a key":        {"X-Api-Key": {p.token}},
		"a bearer":     {"Authorization": {"Bearer " + p.token}},
		"a low bearer": {"Authorization": {"bearer " + p.token}},
		"both":         {"X-Api-Key": {p.token}, "Authorization": {"Bearer " + p.token}},
	} {
		if got := ask(header); got.status != http.StatusOK {
			t.Errorf("%s: got %d", name, got.status)
		}
	}
	for name, header := range map[string]http.Header{
		"nothing":       {},
		"another":       {"X-Api-Key": {models.TokenPrefix + strings.Repeat("a", 43)}},
		"a part":        {"X-Api-Key": {p.token[:len(p.token)-1]}},
		"two":           {"X-Api-Key": {p.token}, "Authorization": {"Bearer " + models.TokenPrefix + strings.Repeat("a", 43)}},
		"basic":         {"Authorization": {"Basic " + p.token}},
		"far too long":  {"X-Api-Key": {models.TokenPrefix + strings.Repeat("a", 4000)}},
		"only a cookie": {"Cookie": {w.s.Admin.Cookies()[0].String()}},
	} {
		got := ask(header)
		got.refused(t, name, http.StatusUnauthorized, "unauthorized")
		if got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
	}
	if strings.Contains(w.s.Log(), p.token) {
		t.Error("the log holds the token")
	}
	if !strings.Contains(w.s.Log(), `"route":"GET /v2/agents"`) {
		t.Error("the log does not name the operation")
	}
}

// A key does what its scopes say and nothing else.
func TestAccess_Scopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for path, item := range document()["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			for _, scope := range models.Scopes {
				got := w.program(webtest.AdminEmail, scope).do(strings.ToUpper(method), strings.NewReplacer("{", "x_", "}", "").Replace(path), nil)
				if allowed := string(scope) == at(op, "x-scope"); allowed != (got.status != http.StatusForbidden) {
					t.Errorf("%s %s with %s: got %d", method, path, scope, got.status)
				} else if !allowed {
					got.refused(t, path, http.StatusForbidden, "insufficient_scope")
				}
			}
			list, err := w.s.DB.APIKeys().List(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range list {
				if _, err := w.s.DB.APIKeys().Revoke(t.Context(), k.ID, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A key ends with its time, with its revocation and with its person, and what
// it follows ends with it.
func TestAccess_Ends(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, p *program){
		"revoked on the page": func(w *world, p *program) {
			w.s.Admin.Post("/settings/keys/"+string(p.key)+"/revoke", nil)
		},
		"revoked by a program": func(w *world, p *program) {
			w.program(webtest.AdminEmail, models.ScopeAdmin).call(http.MethodDelete, "/v2/keys/"+string(p.key), nil, http.StatusNoContent, nil)
		},
		"the person is disabled": func(w *world, p *program) {
			u, err := w.s.DB.Users().ByEmail(w.t.Context(), webtest.MemberEmail)
			if err == nil {
				err = w.s.Site.Disable(w.t.Context(), u.ID)
			}
			if err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "text \"x\"\ngate never\nfinish stop")
			p := w.program(webtest.MemberEmail, models.ScopeRead, models.ScopeRun)
			s := p.start("Go.")
			l := p.stream(s.RunID, "")
			w.up.Reached("never")
			end(w, p)
			if list := l.rest(); strings.HasSuffix(show(list), "done") {
				t.Errorf("got %s", show(list))
			}
			p.do(http.MethodGet, "/v2/runs/"+s.RunID, nil).refused(t, "afterwards", http.StatusUnauthorized, "unauthorized")
			if name != "the person is disabled" {
				h, err := w.s.DB.Journal().Head(t.Context(), agent.ConversationID(s.ConversationID))
				if err != nil || h.Run.Status != agent.StatusRunning {
					t.Errorf("the run is %+v, %v; want it to go on", h.Run, err)
				}
			}
		})
	}
}

func TestAccess_Expiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	u, err := w.s.DB.Users().ByEmail(t.Context(), webtest.AdminEmail)
	if err != nil {
		t.Fatal(err)
	}
	_, token, err := w.s.DB.APIKeys().Create(t.Context(), models.APIKey{
		User: u.ID, Name: "Short", Scopes: []models.Scope{models.ScopeRead}, ExpiresAt: w.s.Clock.Now().Add(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &program{w, token.Reveal(), ""}
	p.call(http.MethodGet, "/v2/agents", nil, http.StatusOK, nil)
	w.s.Clock.Advance(time.Minute)
	p.do(http.MethodGet, "/v2/agents", nil).refused(t, "after its time", http.StatusUnauthorized, "unauthorized")
}

// TestAccess_ForeignLooksLikeUnknown replays the case sec-foreign-run-id with
// the key of somebody else.
func TestAccess_ForeignLooksLikeUnknown(t *testing.T) {
	t.Parallel()
	var input struct{ Requests []string }
	data, err := os.ReadFile("testdata/sec-foreign-run-id/input.json")
	if err == nil {
		err = json.Unmarshal(data, &input)
	}
	if err != nil || len(input.Requests) == 0 {
		t.Fatalf("the case can't be read: %v", err)
	}
	w := newWorld(t, notes)
	alice := w.runner()
	s := alice.start("Note it.")
	w.up.Release("start")
	r := alice.await(s, agent.StatusWaitingApproval)
	bob := w.program(webtest.MemberEmail, models.ScopeRead, models.ScopeRun, models.ScopeDecide)
	call := r.Interruptions[0].Approval.Calls[0]
	type request struct {
		method, path string // with R and C for the run and the conversation
		body         any
		code         string
	}
	requests := map[string]request{
		"GET stream of alice's run":            {http.MethodGet, "/v2/runs/R/stream", nil, "run_not_found"},
		"POST approval of alice's waiting run": {http.MethodPost, "/v2/runs/R/approval", decisions("once", call), "run_not_found"},
		"POST answer":                          {http.MethodPost, "/v2/runs/R/answer", `{"answers":[]}`, "run_not_found"},
		"POST cancel":                          {http.MethodPost, "/v2/runs/R/cancel", nil, "run_not_found"},
		"GET alice's conversation":             {http.MethodGet, "/v2/conversations/C", nil, "conversation_not_found"},
		"POST message to alice's conversation": {http.MethodPost, "/v2/conversations/C/messages", `{"text":"Hi."}`, "conversation_not_found"},
		// The socket is for browsers; web tests it. Programs have this instead.
		"WebSocket subscribe to alice's conversation": {http.MethodGet, "/v2/runs/R/events", nil, "run_not_found"},
		"GET attachment of alice's message":           {http.MethodGet, "/v2/conversations/C/attachments/a_1", nil, "not_found"},
	}
	input.Requests = append(input.Requests, "GET run", "DELETE", "reconcile", "safety")
	requests["GET run"] = request{http.MethodGet, "/v2/runs/R", nil, "run_not_found"}
	requests["DELETE"] = request{http.MethodDelete, "/v2/conversations/C", nil, "conversation_not_found"}
	requests["reconcile"] = request{http.MethodPost, "/v2/runs/R/reconcile", `{"answer":"happened"}`, "run_not_found"}
	requests["safety"] = request{http.MethodPost, "/v2/runs/R/safety", `{"answer":"continue"}`, "run_not_found"}
	for _, name := range input.Requests {
		ask, ok := requests[name]
		if !ok {
			t.Errorf("nothing is asked for %q", name)
			continue
		}
		foreign := bob.do(ask.method, strings.NewReplacer("/R", "/"+s.RunID, "/C", "/"+s.ConversationID).Replace(ask.path), ask.body)
		unknown := bob.do(ask.method, strings.NewReplacer("/R", "/r_none", "/C", "/c_none").Replace(ask.path), ask.body)
		foreign.refused(t, name, http.StatusNotFound, ask.code)
		if foreign.text != unknown.text || unknown.status != foreign.status {
			t.Errorf("%s: a foreign one is answered with %s, an unknown one with %s", name, foreign.text, unknown.text)
		}
	}
	if got := alice.readRun(s.RunID); got.State != "waiting_approval" {
		t.Errorf("the run is %s", got.State)
	}
	w.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("once", call), http.StatusOK, nil)
	alice.await(s, agent.StatusSucceeded)
}

// The head of a stream would have no end, so it is not to be had.
func TestAccess_Head(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Hi.\"\nfinish stop")
	p := w.runner()
	s := p.start("Hello.")
	p.await(s, agent.StatusSucceeded)
	for path, want := range map[string]int{"": http.StatusOK, "/stream": http.StatusMethodNotAllowed, "/events": http.StatusMethodNotAllowed} {
		res, err := http.DefaultTransport.RoundTrip(p.request(t.Context(), http.MethodHead, "/v2/runs/"+s.RunID+path, nil))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("HEAD of the run’s %q: got %d, want %d", path, res.StatusCode, want)
		}
	}
}
