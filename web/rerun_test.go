package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
)

// A message is sent again with other words; every page shows what came of it
// in the place of what was. A form that is refused keeps what was typed.
func TestRerun(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, `text "<i>Old.</i>"
finish stop
---
match user "Other words"
gate new
text "New."
finish stop`, setting{})
	d.send("Words & more")
	d.until(agent.StatusSucceeded)
	tab := d.open()
	address := d.url() + "/runs/" + string(d.run().Run) + "/again"

	page := load(t, d.s.Admin, address)
	if got := page.Forms(address)[0].Values.Get("text"); got != "Words & more" {
		t.Errorf("the form has %q", got)
	}
	r := d.s.Admin.Request(http.MethodGet, address, nil)
	r.Header.Set("HX-Request", "true")
	if got := d.s.Admin.Do(r).Body; !strings.Contains(got, "Words &amp; more") || strings.Contains(got, "<html") {
		t.Errorf("as a fragment: %.200q", got)
	}
	attempts(t, "nothing", d.s.Admin, address, url.Values{"text": {" \n"}}, http.StatusUnprocessableEntity)
	attempts(t, "of nobody's", d.s.Member, address, url.Values{"text": {"x"}}, http.StatusNotFound)
	attempts(t, "of no run", d.s.Admin, d.url()+"/runs/r_none/again", url.Values{"text": {"x"}}, http.StatusNotFound)

	d.post(address, url.Values{"text": {"Other words"}})
	d.up.Reached("new")
	again := d.url() + "/runs/" + string(d.run().Run) + "/again"
	refused := d.s.Admin.Post(again, url.Values{"text": {"Third words"}})
	if refused.Status != http.StatusUnprocessableEntity || !strings.Contains(refused.Body, "Third words") || !strings.Contains(refused.Body, "Stop it first") {
		t.Errorf("while a run is under way: got %d, want a form that says why not", refused.Status)
	}
	d.post(address, url.Values{"text": {"Other words"}}) // a second press
	d.up.Release("new")
	d.until(agent.StatusSucceeded)
	d.agree(tab)
	if text := tab.Page.Text("runs"); strings.Contains(text, "Old.") || strings.Contains(text, "more") || !strings.Contains(text, "New.") {
		t.Errorf("the page shows %q", text)
	}
	attempts(t, "of what is gone", d.s.Admin, address, url.Values{"text": {"Fourth words"}}, http.StatusUnprocessableEntity)
}
