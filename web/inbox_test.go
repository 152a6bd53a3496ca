package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/views"
	"countersign/web/livepage"
)

const asksAndEnds = `
match results 0
text "I will write it down."
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
match results 1
text "It is done."
finish stop
`

// showing applies what a tab is sent until the page is as wanted.
func showing(t *testing.T, tab *livepage.Tab, what string, holds func(*livepage.Page) bool) {
	t.Helper()
	if err := tab.Until(within, holds); err != nil {
		t.Fatalf("the page never showed %s: %v\n%s", what, err, tab.Page.Normal())
	}
}

// What waits in one conversation is seen, and can be decided, on every other
// page of its owner, as it happens; and by nobody else.
func TestInbox(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, asksAndEnds, setting{approval: time.Hour})
	inbox := open(t, d.s, d.s.Admin, views.InboxURL)
	theirs := open(t, d.s, d.s.Member, views.InboxURL)
	settings := open(t, d.s, d.s.Admin, "/settings/agents")
	if page := d.s.Admin.Get(views.InboxURL); !strings.Contains(page.Body, "Nothing waits for you") {
		t.Errorf("an empty inbox\n%s", page.Body)
	}

	d.send("Write it")
	d.until(agent.StatusWaitingApproval)
	showing(t, inbox, "the card", func(p *livepage.Page) bool { return len(p.Forms("/approvals/")) == 1 })
	showing(t, settings, "the count", func(p *livepage.Page) bool { return strings.HasPrefix(p.Title(), "(1) Agents") })
	for path, want := range map[string]string{
		views.InboxURL: "Write it", "/": "<title>(1) New conversation", "/settings/agents": "favicon-needs", d.url(): `<title>(1) Write it`,
	} {
		if page := d.s.Admin.Get(path); !strings.Contains(page.Body, want) {
			t.Errorf("%s lacks %q\n%s", path, want, page.Body)
		}
	}

	form := inbox.Page.Forms("/approvals/")[0]
	form.Values.Set("decision", "allow")
	if got := d.s.Admin.Post(form.Action, form.Values); got.Status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", got.Status, got.Body)
	}
	d.until(agent.StatusSucceeded)
	showing(t, inbox, "an empty inbox", func(p *livepage.Page) bool {
		return len(p.Forms("/approvals/")) == 0 && strings.HasPrefix(p.Title(), "Inbox")
	})
	showing(t, settings, "no count", func(p *livepage.Page) bool { return strings.HasPrefix(p.Title(), "Agents") })
	if got := d.s.Member.Post(form.Action, url.Values{}); got.Status != http.StatusNotFound {
		t.Errorf("another person: got %d, want 404", got.Status)
	}
	if text := theirs.Page.Normal(); strings.Contains(text, "Write it") || len(theirs.Page.Forms("/approvals/")) > 0 {
		t.Errorf("another person's inbox\n%s", text)
	}
}
