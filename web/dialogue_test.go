package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/scripted/scriptedtest"
	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// A dialogue is a conversation of the admin with a scripted model, over HTTP
// on both sides.
type dialogue struct {
	t         testing.TB
	s         *webtest.Server
	up        *scriptedtest.Server
	model     agent.ModelRef
	id        agent.ConversationID
	reasoning bool
	sent      int
}

type setting struct {
	reasoning bool
	approval  time.Duration
	retry     time.Duration // before another try, a millisecond if zero
	server    []webtest.Option
}

// everyTool is what the agent of a dialogue may use.
var everyTool = []string{"ask_user", "current_time", "notes_list", "notes_read", "notes_write", "notes_delete"}

func newDialogue(t testing.TB, script string, c setting) *dialogue {
	t.Helper()
	if c.retry == 0 {
		c.retry = time.Millisecond
	}
	d := &dialogue{t: t, up: scriptedtest.NewServer(t, script), reasoning: c.reasoning}
	d.s = webtest.New(t, c.server...)
	d.model = addModel(t, d.s, d.up.URL, agent.RetryPolicy{Base: c.retry})
	_, err := d.s.DB.Agents().Save(t.Context(), agent.Agent{
		Name: "Assistant", Model: d.model, Tools: everyTool, Limits: agent.Limits{Approval: c.approval},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// addModel registers an upstream on this machine.
func addModel(t testing.TB, s *webtest.Server, address string, retry agent.RetryPolicy) agent.ModelRef {
	t.Helper()
	p, err := s.DB.Providers().Create(t.Context(), models.Provider{
		Name: "Scripted", API: providers.APIChatCompletions, BaseURL: address, AllowPrivateNetwork: true,
		ProviderOptions: models.ProviderOptions{Retry: retry, Models: []models.ProviderModel{{Name: "scripted-1"}}},
	}, models.Credential{Kind: models.CredentialNone})
	if err != nil {
		t.Fatal(err)
	}
	return agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: "scripted-1"}
}

func (d *dialogue) url() string { return views.ConversationURL(d.id) }

// send sends a message as the pages do; the first one opens the conversation.
func (d *dialogue) send(text string) {
	d.t.Helper()
	d.sent++
	form := url.Values{"message_id": {fmt.Sprintf("m_%d", d.sent)}, "text": {text}}
	if d.reasoning {
		form.Set("reasoning", "on")
	}
	if d.id != "" {
		d.post(views.MessagesURL(d.id), form)
		return
	}
	form.Set("model", d.model.Provider+"/"+d.model.Model)
	res := d.post(views.ConversationsURL, form)
	d.id = agent.ConversationID(res.Location[len(views.ConversationURL("")):])
}

func (d *dialogue) post(address string, form url.Values) webtest.Response {
	d.t.Helper()
	res := d.s.Admin.Post(address, form)
	if res.Status != http.StatusSeeOther {
		d.t.Fatalf("POST %s: %d\n%s", address, res.Status, res.Body)
	}
	return res
}

func (d *dialogue) run() agent.RunRef {
	d.t.Helper()
	h, err := d.s.DB.Journal().Head(d.t.Context(), d.id)
	if err != nil || h.Run == nil {
		d.t.Fatalf("there is no run: %v", err)
	}
	return agent.RunRef{Conversation: d.id, Run: h.Run.ID}
}

// await waits until what the engine tells of makes the condition true.
func (d *dialogue) await(what string, holds func() bool) {
	d.t.Helper()
	sub, _ := d.s.Engine.Follow(d.id)
	defer sub.Close()
	ctx, cancel := context.WithTimeout(d.t.Context(), within)
	defer cancel()
	for !holds() {
		if _, err := sub.Next(ctx); err != nil {
			d.t.Fatalf("wait until %s: %v", what, err)
		}
	}
}

// until waits until the newest run has a status.
func (d *dialogue) until(status agent.RunStatus) {
	d.t.Helper()
	d.await(string(status), func() bool {
		h, err := d.s.DB.Journal().Head(d.t.Context(), d.id)
		if err != nil {
			d.t.Fatal(err)
		}
		return h.Run != nil && h.Run.Status == status
	})
}

// decide sends the form of the first undecided call as a press of a button
// would.
func (d *dialogue) decide(verdict, reason string) {
	d.t.Helper()
	forms := load(d.t, d.s.Admin, d.url()).Forms("/approvals/")
	if len(forms) == 0 {
		d.t.Fatal("no call waits for a decision")
	}
	forms[0].Values.Set("decision", verdict)
	forms[0].Values.Set("reason", reason)
	d.post(forms[0].Action, forms[0].Values)
}

func (d *dialogue) stop() {
	d.t.Helper()
	d.post(views.StopURL(d.id), url.Values{"run": {string(d.run().Run)}})
}

// open loads the conversation and has the page follow it.
func (d *dialogue) open() *livepage.Tab {
	d.t.Helper()
	return open(d.t, d.s, d.s.Admin, d.url())
}

// agree waits until the pages are what a page loaded now is.
func (d *dialogue) agree(tabs ...*livepage.Tab) {
	d.t.Helper()
	const patience = 300 * time.Millisecond
	for began := time.Now(); ; {
		want := load(d.t, d.s.Admin, d.url()).Normal()
		late := ""
		for i, tab := range tabs {
			err := tab.Until(patience, func(p *livepage.Page) bool { return p.Normal() == want })
			if err != nil && !errors.Is(err, livepage.ErrNotYet) {
				d.t.Fatalf("page %d: %v", i+1, err)
			}
			if err != nil {
				late = fmt.Sprintf("page %d (-loaded +followed):\n%s", i+1, cmp.Diff(want, tab.Normal()))
			}
		}
		if late == "" {
			return
		}
		if time.Since(began) > within {
			d.t.Fatal(late)
		}
	}
}
