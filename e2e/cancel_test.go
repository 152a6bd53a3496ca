package e2e_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestStopWhileStreaming(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "half a thought"
text "Half an answer"
gate half
text " never comes"
finish stop
---
match user "Again"
text "A whole answer."
finish stop
`)
	c.start("Try it")
	c.model.Reached("half")
	c.wantDraft("Half an answer")
	other := c.another()
	other.visit(c.URL(), http.StatusOK)
	run, err := c.Locator("#composer-actions [name=run]").GetAttribute("value")
	c.must(err)

	c.press("Stop")
	for _, p := range []*page{c.page, other} {
		p.awaitStatus(isStopped)
		p.wantText("#runs", "You stopped the run.")
		p.must(expect.Locator(p.draft()).ToHaveCount(0))
	}
	c.wantSame(other)
	c.wantReload()
	c.wantAbsent([]string{"Half an answer", "half a thought"}, c.URL(), "/")

	// To stop it once more changes nothing.
	again := c.server.signIn()
	path := strings.TrimPrefix(c.URL(), c.server.url) + "/stop"
	for range 2 {
		if status, body, err := again.post(path, url.Values{"run": {run}}); status != http.StatusNoContent || err != nil {
			t.Errorf("stop again: got %d, %v\n%s", status, err, body)
		}
	}
	c.server.wantFacts(map[string]int{"run_finished": 1, "assistant_message": 0})

	c.send("Again")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"A whole answer."}))
	c.awaitStatus(isReady)
}

func TestStopWhileACardWaits(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "May I?"
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
match user "Again"
text "Nothing was written."
finish stop
`)
	c.start("Write")
	c.awaitStatus(isWaiting)
	path, form := c.cardForm()
	c.press("Stop")
	c.awaitStatus(isStopped)
	c.must(expect.Locator(c.Locator("[data-card]")).ToHaveCount(0))
	c.wantText(".decided", "Withdrawn, not run", "the run was stopped")
	c.wantReload()

	if status, body, err := c.server.signIn().post(path, with(form, "allow")); status != http.StatusConflict || err != nil {
		t.Errorf("approve what was withdrawn: got %d, %v\n%s", status, err, body)
	}
	c.send("Again")
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToContainText([]string{"Nothing was written."}))
	if got := c.lastResults(); len(got) != 1 || !strings.Contains(got[0], "It did not run") {
		t.Errorf("the model was told %q of the call", got)
	}
	c.server.wantFacts(map[string]int{"tool_call_started": 0, "tool_call_finished": 1, "approval_decision": 0})
}

func TestStopWhileARetryWaits(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
status 503 overloaded code=server_is_overloaded retry-after=50s
---
match user "Again"
text "Back."
finish stop
`)
	c.start("Try it")
	c.wantText(".fault", "is overloaded", "Attempt 2 of 3 starts in", "HTTP")
	c.press("Stop trying")
	c.awaitStatus(isStopped)
	c.wantText("#runs", "You stopped the run.")
	c.must(expect.Locator(c.GetByText("starts in")).ToHaveCount(0))
	c.wantReload()
	c.send("Again")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"Back."}))
	c.awaitStatus(isReady)
}

func TestClosingTheTabStopsNothing(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Half and "
gate half
text "half."
finish stop
`)
	c.start("Take your time")
	c.model.Reached("half")
	address := c.URL()
	later := c.another()
	c.must(c.Close())
	c.model.Release("half")
	later.visit(address, http.StatusOK)
	later.awaitStatus(isReady)
	later.must(expect.Locator(later.finished()).ToHaveText("Half and half."))
}
