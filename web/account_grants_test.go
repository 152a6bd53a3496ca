package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
)

// A person finds all that they allowed for conversations on their own page,
// with its last use, and ends it there.
func TestAccountGrants(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, writeNote+"finish tool_calls\n---\n"+writeNote+"finish tool_calls\n---\ntext \"Done.\"\nfinish stop\n---\n"+writeNote+"finish tool_calls", setting{})
	if page := load(t, d.s.Admin, views.AccountURL).Text("grants-h"); page != "Allowed without asking" {
		t.Errorf("the page says %q", page)
	}
	d.send("<i>Note</i> it.")
	d.until(agent.StatusWaitingApproval)
	d.decide("conversation", "")
	d.until(agent.StatusSucceeded)
	page := load(t, d.s.Admin, views.AccountURL)
	forms := page.Forms(d.url() + "/grants/")
	if len(forms) != 1 {
		t.Fatalf("%d permissions are listed, want 1", len(forms))
	}
	body := d.s.Admin.Get(views.AccountURL).Body
	for _, want := range []string{"notes_write", "&lt;i&gt;Note&lt;/i&gt; it.", `href="` + d.url() + `"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(body, "Not yet") {
		t.Error("the permission is said not to have been used")
	}
	if body := d.s.Member.Get(views.AccountURL).Body; strings.Contains(body, "notes_write") {
		t.Error("somebody else sees it")
	}
	res := d.s.Admin.Post(forms[0].Action, url.Values{"back": {"account"}})
	if res.Status != http.StatusSeeOther || res.Location != views.AccountURL {
		t.Errorf("got %d to %q", res.Status, res.Location)
	}
	if left := load(t, d.s.Admin, views.AccountURL).Forms(d.url() + "/grants/"); len(left) > 0 {
		t.Error("it is still listed")
	}
	d.send("Again.")
	d.until(agent.StatusWaitingApproval)
	d.stop()
}
