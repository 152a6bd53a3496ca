package e2e_test

import (
	"net/http"
	"testing"
)

// crash ends the server as a power cut would and starts it again on the same
// data. The open pages are to come back by themselves.
func (c *chat) crash() {
	c.t.Helper()
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.server.Restart()
}

func TestCardSurvivesACrash(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "I will write it down."
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
expect result "is written"
text "It is done."
finish stop
`)
	c.start("Write")
	c.awaitStatus(isWaiting)
	until := func() string {
		t.Helper()
		at, err := c.Locator("[data-card] [data-until]").GetAttribute("data-until")
		c.must(err)
		return at
	}
	before := until()

	c.crash()
	c.wantText("#connection", "Back online")
	c.wantReload()
	if after := until(); after != before {
		t.Errorf("the card expires at %s, before the crash at %s", after, before)
	}
	c.wantText(".attempt.is-provisional", "I will write it down.")
	c.decide("Write a note", "Approve once")
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"I will write it down.", "It is done."}))
	c.server.wantFacts(map[string]int{"user_message": 1, "run_created": 1, "approval_requested": 1, "tool_call_started": 1})
}

// An attempt that a crash cut off is withdrawn and tried again. That is no
// failure of the provider's and uses up no try.
func TestAttemptAfterACrash(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "half a thought"
text "Half an answer"
gate half
text " never comes"
finish stop
---
text "A whole "
gate again
text "answer."
finish stop
`)
	c.start("Try it")
	c.model.Reached("half")
	c.wantDraft("Half an answer")

	c.crash()
	c.model.Reached("again")
	c.wantDraft("A whole")
	c.wantText(".attempt.is-streaming", "Attempt 1.")
	c.wantReload()
	c.model.Release("again")
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToHaveText("A whole answer."))
	c.wantAbsent([]string{"Half an answer", "half a thought"}, c.URL(), "/")
	c.wantText("#details-body", "Failed attempts")
	c.must(expect.Locator(c.Locator("#details-body dt:has-text('Failed attempts') + dd")).ToHaveText("0"))
	c.server.wantFacts(map[string]int{"user_message": 1, "run_created": 1, "provider_error": 0, "retry_scheduled": 0})
}

func TestRetryAfterACrash(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
status 503 overloaded code=server_is_overloaded retry-after=6s
---
text "Back again."
finish stop
`)
	c.start("Try it")
	c.wantText(".fault", "Attempt 2 of 3 starts in")
	c.server.wantFacts(map[string]int{"model_attempt_started": 1, "retry_scheduled": 1})
	c.crash()
	c.visit(c.URL(), http.StatusOK)
	c.must(expectLate.Locator(c.finished()).ToHaveText("Back again."))
	c.awaitStatus(isReady)
	c.server.wantFacts(map[string]int{"model_attempt_started": 2, "retry_scheduled": 1, "provider_error": 1, "user_message": 1})
}
