package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Hello.\"\nfinish stop\n---\nstatus 401 authentication")
	p := w.runner()
	id := p.open()
	c := p.read(id)
	if c.ID != id || c.Title != "" || c.Agent.Name != "Assistant" || c.Run != nil || len(c.Messages) != 0 {
		t.Errorf("a new one is %+v", c)
	}
	s := p.message(id, "Say hello.")
	if s.ConversationID != id || s.Queued {
		t.Errorf("sent: %+v", s)
	}
	p.await(s, agent.StatusSucceeded)
	failed := p.message(id, "Fail.")
	r := p.await(failed, agent.StatusFailed)
	if r.Result != nil || r.Error == nil || r.Error.Code != "provider_error" {
		t.Errorf("the run is %+v", r)
	}
	c = p.read(id)
	var said []string
	for _, m := range c.Messages {
		said = append(said, m.Role+": "+m.Text)
	}
	if got, want := strings.Join(said, ", "), "user: Say hello., assistant: Hello., user: Fail."; got != want || c.Title != "Say hello." || c.Run.State != "failed" {
		t.Errorf("%q, %+v: got %s, want %s", c.Title, c.Run, got, want)
	}
	if page := w.s.Admin.Get("/c/" + id); page.Status != http.StatusOK || !strings.Contains(page.Body, "Hello.") {
		t.Error("the conversation is not on its page")
	}
	if page := w.s.Admin.Get("/c/" + p.open()); page.Status != http.StatusOK {
		t.Errorf("the page of an empty one: %d", page.Status)
	}
}

func TestConversation_List(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.runner()
	w.program(webtest.MemberEmail, models.ScopeRun).open()
	var ids []string
	for range 5 {
		ids = append([]string{p.open()}, ids...)
	}
	var seen []string
	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			NextCursor *string `json:"next_cursor"`
		}
		p.call(http.MethodGet, "/v2/conversations?limit=2&cursor="+cursor, nil, http.StatusOK, &page)
		for _, e := range page.Data {
			seen = append(seen, e.ID)
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if len(seen) != len(ids) {
		t.Errorf("got %v, want those of %v", seen, ids)
	}
	for _, id := range ids {
		if strings.Count(strings.Join(seen, " "), id) != 1 {
			t.Errorf("%s is not there once: %v", id, seen)
		}
	}
	if err := w.s.Engine.Archive(t.Context(), agent.ConversationID(ids[0]), true); err != nil {
		t.Fatal(err)
	}
	if got := p.do(http.MethodGet, "/v2/conversations?archived=true", nil); !strings.Contains(got.text, ids[0]) || strings.Contains(got.text, ids[1]) {
		t.Errorf("the archive is %s", got.text)
	}
}

// A long conversation comes part by part.
func TestConversation_Earlier(t *testing.T) {
	t.Parallel()
	const runs = 45
	w := newWorld(t, strings.TrimSuffix(strings.Repeat("text \"Yes.\"\nfinish stop\n---\n", runs), "---\n"), noLimits)
	p := w.runner()
	id := p.open()
	for i := range runs {
		p.await(p.message(id, fmt.Sprintf("Message %d", i)), agent.StatusSucceeded)
	}
	var said []string
	for before := ""; ; {
		var c conversation
		p.call(http.MethodGet, "/v2/conversations/"+id+before, nil, http.StatusOK, &c)
		var part []string
		for _, m := range c.Messages {
			if m.Role == "user" {
				part = append(part, m.Text)
			}
		}
		said = append(part, said...)
		if c.Earlier == nil {
			break
		}
		before = fmt.Sprintf("?before=%d", *c.Earlier)
	}
	if len(said) != runs {
		t.Fatalf("got %d messages, want %d", len(said), runs)
	}
	for i, text := range said {
		if text != fmt.Sprintf("Message %d", i) {
			t.Errorf("%d: got %q", i, text)
		}
	}
}

// A run that has not begun can be read, followed and cancelled by its id.
func TestQueuedRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate first\ntext \"First.\"\nfinish stop\n---\ntext \"Second.\"\nfinish stop")
	p := w.runner()
	first := p.start("First.")
	second, third := p.message(first.ConversationID, "Second."), p.message(first.ConversationID, "Third.")
	if r := p.readRun(second.RunID); !second.Queued || !r.Queued || r.State != "pending" || len(r.Interruptions) != 0 {
		t.Errorf("%+v is %+v", second, r)
	}
	if c := p.read(first.ConversationID); len(c.Queue) != 2 || c.Queue[0].Text != "Second." {
		t.Errorf("the queue is %+v", c.Queue)
	}
	w.program(webtest.MemberEmail, models.ScopeRead).do(http.MethodGet, "/v2/runs/"+second.RunID, nil).
		refused(t, "somebody else's", http.StatusNotFound, "run_not_found")
	two, three := p.stream(second.RunID, ""), p.stream(third.RunID, "")
	three.until("state")
	var r run
	p.call(http.MethodPost, "/v2/runs/"+third.RunID+"/cancel", nil, http.StatusAccepted, &r)
	if r.State != "cancelled" || r.Queued {
		t.Errorf("got %+v", r)
	}
	if got, want := show(three.rest()), "state:cancelled/removed error:cancelled"; got != want {
		t.Errorf("the third: got %s, want %s", got, want)
	}
	p.do(http.MethodGet, "/v2/runs/"+third.RunID, nil).refused(t, "the third", http.StatusNotFound, "run_not_found")
	w.up.Release("first")
	want := "state:pending/queued state:pending/accepted state:running/claimed token state:succeeded/finished done"
	if got := show(two.rest()); got != want {
		t.Errorf("the second: got %s, want %s", got, want)
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.runner()
	var agents struct {
		Data []struct {
			ID, Name string
			Tools    []string
			Model    struct{ Provider, Name string }
		}
	}
	p.call(http.MethodGet, "/v2/agents", nil, http.StatusOK, &agents)
	var list struct {
		Data []struct {
			Provider, Name string
			Tools          bool
		}
	}
	p.call(http.MethodGet, "/v2/models", nil, http.StatusOK, &list)
	if len(agents.Data) != 1 || len(list.Data) != 1 || agents.Data[0].Model.Provider != list.Data[0].Provider || !list.Data[0].Tools || len(agents.Data[0].Tools) != len(everyTool) {
		t.Fatalf("got %+v and %+v", agents, list)
	}
	p.call(http.MethodPost, "/v2/conversations", map[string]any{
		"agent": agents.Data[0].ID, "model": map[string]string{"provider": list.Data[0].Provider, "name": list.Data[0].Name},
	}, http.StatusCreated, nil)
	var keys struct {
		Data []struct{ ID, Prefix string }
	}
	admin := w.program(webtest.AdminEmail, models.ScopeAdmin)
	got := admin.call(http.MethodGet, "/v2/keys", nil, http.StatusOK, &keys)
	if len(keys.Data) != 2 || strings.Contains(got.text, admin.token) {
		t.Errorf("the keys are %s", got.text)
	}
	admin.do(http.MethodDelete, "/v2/keys/k_none", nil).refused(t, "no such key", http.StatusNotFound, "not_found")
}
