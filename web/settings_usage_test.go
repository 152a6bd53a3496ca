package web_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

// What attempts used shows in the details of the conversation, to its owner,
// and to admins for everybody.
func TestUsageIsShown(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, `
text "Cut"
cut
---
text "Hello."
usage in=1234 out=56 cached=1000
finish stop
`, setting{})
	d.send("Hi")
	d.until(agent.StatusSucceeded)

	total, err := d.s.DB.Usage().Total(t.Context(), models.UsageFilter{})
	if err != nil || total.Attempts != 2 || total.Output != (agent.Sum{Known: 56, Counted: 1, Unknown: 1}) {
		t.Errorf("got %+v, %v", total, err)
	}
	for path, want := range map[string][]string{
		d.url():                  {"Usage in this conversation", "at least 1,234", "at least 1,000", "at least 56", "The provider sent no figures for 1 attempt."},
		"/settings/usage":        {"at least 1,234", "scripted-1", "Ada Admin", webtest.AdminEmail, "once a model has a price"},
		"/settings/usage?days=7": {"at least 1,234"},
		"/account":               {"at least 1,234"},
	} {
		page := d.s.Admin.Get(path)
		for _, text := range want {
			if page.Status != http.StatusOK || !strings.Contains(page.Body, text) {
				t.Errorf("%s: got %d, or the page lacks %q\n%s", path, page.Status, text, page.Body)
			}
		}
	}
	if got := d.s.Member.Get("/settings/usage"); got.Status != http.StatusForbidden {
		t.Errorf("a member: got %d, want 403", got.Status)
	}
	if got := d.s.Member.Get("/account"); !strings.Contains(got.Body, "Nothing yet.") {
		t.Errorf("a member who used nothing\n%s", got.Body)
	}
}
