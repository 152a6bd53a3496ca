package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/scripted/scriptedtest"
	"countersign/web/api"
	"countersign/web/webtest"
)

// within is how long anything may take.
const within = 20 * time.Second

var everyTool = []string{"ask_user", "current_time", "notes_list", "notes_read", "notes_write", "notes_delete"}

// A world is a server with a scripted model behind it.
type world struct {
	t  *testing.T
	s  *webtest.Server
	up *scriptedtest.Server
}

func newWorld(t *testing.T, script string, options ...webtest.Option) *world {
	t.Helper()
	up := scriptedtest.NewServer(t, script)
	w := newWorldAt(t, up.URL, options...)
	w.up = up
	return w
}

// newWorldAt has its model at an address.
func newWorldAt(t *testing.T, address string, options ...webtest.Option) *world {
	t.Helper()
	w := &world{t: t, s: webtest.New(t, options...)}
	p, err := w.s.DB.Providers().Create(t.Context(), models.Provider{
		Name: "Scripted", API: providers.APIChatCompletions, BaseURL: address, AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{Retry: agent.RetryPolicy{Base: time.Millisecond}, Models: []models.ProviderModel{{Name: "scripted-1"}}},
	}, models.Credential{Kind: models.CredentialNone})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.s.DB.Agents().Save(t.Context(), agent.Agent{
		Name: "Assistant", Model: agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: "scripted-1"}, Tools: everyTool,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A program has a key.
type program struct {
	*world
	token string
	key   agent.KeyID
}

// program gives a key to a new program of a person.
func (w *world) program(email string, scopes ...models.Scope) *program {
	w.t.Helper()
	u, err := w.s.DB.Users().ByEmail(w.t.Context(), email)
	if err != nil {
		w.t.Fatal(err)
	}
	key, token, err := w.s.DB.APIKeys().Create(w.t.Context(), models.APIKey{User: u.ID, By: u.ID, Name: "Robot", Scopes: scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	return &program{w, token.Reveal(), key.ID}
}

// runner may read and run, signer read and decide, both for the admin.
func (w *world) runner() *program {
	return w.program(webtest.AdminEmail, models.ScopeRead, models.ScopeRun)
}
func (w *world) signer() *program {
	return w.program(webtest.AdminEmail, models.ScopeRead, models.ScopeDecide)
}

// A reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	text   string
}

// request prepares a request. A body that is no text is sent as JSON.
func (p *program) request(ctx context.Context, method, path string, body any) *http.Request {
	p.t.Helper()
	var text []byte
	switch b := body.(type) {
	case nil:
	case string:
		text = []byte(b)
	default:
		var err error
		if text, err = json.Marshal(b); err != nil {
			p.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, p.s.URL+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		r.Header.Set("X-API-Key", p.token)
	}
	return r
}

func (p *program) send(r *http.Request) reply {
	p.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	got := reply{res.StatusCode, res.Header, string(text)}
	checkReply(p.t, r, got)
	return got
}

func (p *program) do(method, path string, body any) reply {
	p.t.Helper()
	return p.send(p.request(p.t.Context(), method, path, body))
}

// call is do for what has to go well.
func (p *program) call(method, path string, body any, want int, into any) reply {
	p.t.Helper()
	got := p.do(method, path, body)
	if got.status != want {
		p.t.Fatalf("%s %s: got %d, want %d\n%s", method, path, got.status, want, got.text)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(got.text), into); err != nil {
			p.t.Fatalf("%s %s: %v\n%s", method, path, err, got.text)
		}
	}
	return got
}

// refused checks that an answer is an error with a code.
func (r reply) refused(t *testing.T, what string, status int, code string) {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.text), &body); err != nil || r.status != status || body.Error.Code != code || body.Error.Message == "" {
		t.Errorf("%s: got %d %s, want %d %s", what, r.status, r.text, status, code)
	}
}

// What tests look at of answers.
type (
	conversation struct {
		ID, Title        string
		Agent            struct{ ID, Name string }
		Run              *struct{ ID, State string }
		Messages         []struct{ ID, Role, Text, RunID string }
		Earlier          *int64
		Queue            []struct{ ID, Text string }
		PendingApproval  *pending                   `json:"pending_approval"`
		PendingQuestion  *pending                   `json:"pending_question"`
		PendingReconcile *struct{ Call callToSign } `json:"pending_reconcile"`
		PendingSafety    *safety                    `json:"pending_safety"`
	}
	pending struct {
		RunID       string `json:"run_id"`
		CallID      string `json:"call_id"`
		ExpiresAt   string `json:"expires_at"`
		Explanation string
		Calls       []callToSign
		Questions   []agent.Question
	}
	callToSign struct {
		CallID     string  `json:"call_id"`
		ServerName *string `json:"server_name"`
		Name       string
		Title      string
		Arguments  json.RawMessage
	}
	run struct {
		ID, State     string
		Queued        bool
		Interruptions []struct {
			Kind      string
			Approval  *pending
			Question  *pending
			Reconcile *struct{ Call callToSign }
			Safety    *safety
		}
		Result *struct {
			FinalOutput string `json:"final_output"`
			Citations   []any
		}
		Error *struct{ Code, Message string }
	}
	safety struct {
		Cause     string
		Guardrail *string
		Call      *callToSign
	}
	sent struct {
		RunID          string `json:"run_id"`
		ConversationID string `json:"conversation_id"`
		Queued         bool
	}
)

func (p *program) open() string {
	p.t.Helper()
	var c conversation
	p.call(http.MethodPost, "/v2/conversations", struct{}{}, http.StatusCreated, &c)
	return c.ID
}

func (p *program) read(id string) conversation {
	p.t.Helper()
	var c conversation
	p.call(http.MethodGet, "/v2/conversations/"+id, nil, http.StatusOK, &c)
	return c
}

func (p *program) message(id, text string) sent {
	p.t.Helper()
	var s sent
	p.call(http.MethodPost, "/v2/conversations/"+id+"/messages", map[string]any{"text": text}, http.StatusAccepted, &s)
	return s
}

// start opens a conversation and sends a message to it.
func (p *program) start(text string) sent {
	p.t.Helper()
	return p.message(p.open(), text)
}

func (p *program) readRun(id string) run {
	p.t.Helper()
	var r run
	p.call(http.MethodGet, "/v2/runs/"+id, nil, http.StatusOK, &r)
	return r
}

// await waits until a run has a state, without looking at its stream.
func (p *program) await(s sent, state agent.RunStatus) run {
	p.t.Helper()
	sub, _ := p.s.Engine.Follow(agent.ConversationID(s.ConversationID))
	defer sub.Close()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	defer cancel()
	for {
		h, err := p.s.DB.Journal().Head(ctx, agent.ConversationID(s.ConversationID))
		if err != nil {
			p.t.Fatal(err)
		}
		if h.Run != nil && string(h.Run.ID) == s.RunID && h.Run.Status == state {
			return p.readRun(s.RunID)
		}
		if _, err := sub.Next(ctx); err != nil {
			p.t.Fatalf("wait until %s: %v; it is %+v", state, err, h.Run)
		}
	}
}

func decisions(verdict string, calls ...callToSign) map[string]any {
	var list []map[string]any
	for _, c := range calls {
		list = append(list, map[string]any{"call_id": c.CallID, "decision": verdict})
	}
	return map[string]any{"decisions": list}
}

func approvalOf(run string) string { return fmt.Sprintf("/v2/runs/%s/approval", run) }

const minute = time.Minute

var discard = slog.New(slog.DiscardHandler)

// serveBy has the program ask another server of the same data.
func (p *program) serveBy(a *api.Server) {
	p.t.Helper()
	server := httptest.NewServer(a.Handler())
	p.t.Cleanup(server.Close)
	s := *p.s
	s.URL = server.URL
	w := *p.world
	w.s = &s
	p.world = &w
}

// noLimits lets tests send as fast as they can.
var noLimits = webtest.API(api.Limits{KeyMessages: 10_000, ConversationMessages: 10_000})

// quick has streams look often whether they may go on.
var quick = api.Limits{KeepAlive: 10 * time.Millisecond}
