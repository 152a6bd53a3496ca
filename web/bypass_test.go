package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
)

// Approvals are switched off by an admin who was asked, in this conversation
// alone, and on again by its owner.
func TestBypass(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, `
text "Hello."
finish stop
---
call call_1 notes_write {"title":"A","text":"a"}
finish tool_calls
---
text "Written."
finish stop
---
call call_2 notes_write {"title":"B","text":"b"}
finish tool_calls
---
text "Not written."
finish stop`, setting{})
	d.send("Hi.")
	d.until(agent.StatusSucceeded)
	tab := d.open()
	bypass := func() *agent.Bypass {
		head, err := d.s.DB.Journal().Head(t.Context(), d.id)
		if err != nil {
			t.Fatal(err)
		}
		return head.Bypass
	}
	ask, off, end := views.BypassURL(d.id), "Approvals are off in this conversation.", views.BypassEndURL(d.id)
	if page := d.s.Admin.Get(ask).Body; !strings.Contains(page, "Rules of policy still deny and still ask.") || bypass() != nil {
		t.Errorf("asked: %s", page)
	}
	for name, got := range map[string]int{
		"a member asks":             d.s.Member.Get(ask).Status,
		"a member switches off":     d.s.Member.Post(ask, nil).Status,
		"another switches on":       d.s.Member.Post(end, nil).Status - 1,
		"an unknown conversation":   d.s.Admin.Post(views.BypassURL("c_none"), nil).Status - 1,
		"by a link of another site": d.s.Admin.Get(end).Status - 2,
	} {
		if got != http.StatusForbidden {
			t.Errorf("%s: got %d", name, got)
		}
	}
	if bypass() != nil || strings.Contains(d.s.Admin.Get(views.ConversationURL(d.id)).Body, off) {
		t.Error("approvals are off")
	}
	d.s.Admin.Post(ask, nil)
	if page := d.s.Admin.Get(views.ConversationURL(d.id)).Body; bypass() == nil || !strings.Contains(page, off) {
		t.Errorf("the page says nothing: %s", page)
	}
	if page := d.s.Admin.Get(ask).Body; !strings.Contains(page, "They are off already.") {
		t.Errorf("asked again: %s", page)
	}
	d.agree(tab)
	d.send("Write.")
	d.until(agent.StatusSucceeded)
	if page := d.s.Admin.Get(views.ConversationURL(d.id)).Body; !strings.Contains(page, "done, allowed by bypass") {
		t.Errorf("the call does not say who allowed it: %s", page)
	}
	d.post(end, nil)
	if page := d.s.Admin.Get(views.ConversationURL(d.id)).Body; bypass() != nil || strings.Contains(page, off) {
		t.Error("approvals stay off")
	}
	d.agree(tab)
	d.send("Write again.")
	d.until(agent.StatusWaitingApproval)
	d.decide("deny", "")
	d.until(agent.StatusSucceeded)
}
