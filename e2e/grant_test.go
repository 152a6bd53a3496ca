package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

const granting = `
call call_1 notes_write {"title":"A","text":"one"}
call call_2 notes_write {"title":"B","text":"two"}
finish tool_calls
---
call call_3 notes_write {"title":"C","text":"three"}
finish tool_calls
---
text "All written."
finish stop
---
match user "Again"
call call_4 notes_write {"title":"D","text":"four"}
finish tool_calls
---
match user "Again"
expect result "decided against"
text "Then not."
finish stop
`

// grants are the tools that are allowed, in the drawer.
func (p *page) grants() playwright.Locator { return p.Locator("#details-body .grants li") }

// Allowing a tool for the conversation releases the other calls of the card and
// those to come, is listed in every tab, and ends when it is revoked.
func TestGrant(t *testing.T) {
	t.Parallel()
	c := newChat(t, granting)
	c.start("Write")
	c.awaitStatus(isWaiting)
	other := c.join()
	c.must(expect.Locator(c.grants()).ToHaveCount(0))
	first := c.Locator("[data-card]:not([data-fresh]) form.card__body").First()
	c.must(first.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Allow for this conversation"}).Click())
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToHaveText("All written."))
	c.must(expect.Locator(c.decided()).ToHaveCount(2))
	c.wantText(".decided.is-signed", "Approved for this conversation", "by a person", adminName)
	c.wantText(".decided.is-allow:not(.is-signed)", "Allowed", "by the conversation grant of")
	c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(3))
	c.must(expect.Locator(c.ran("notes_write").Last()).ToContainText("allowed by the conversation grant of"))
	c.server.wantFacts(map[string]int{"grant_created": 1, "approval_requested": 1, "approval_decision": 3, "tool_call_started": 3})

	c.press("Details")
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.grants()).ToHaveCount(1))
		tab.wantText("#details-body", "Allowed in this conversation", "notes_write")
	}
	c.wantReload()
	c.press("Details")
	c.must(c.grants().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Revoke"}).Click())
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.grants()).ToHaveCount(0))
	}
	c.wantReload()

	c.send("Again")
	c.awaitStatus(isWaiting)
	c.decide("Write a note", "Deny")
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished().Last()).ToHaveText("Then not."))
	c.server.wantFacts(map[string]int{"grant_created": 1, "grant_revoked": 1, "tool_call_started": 3})
}

// A grant outlives the server.
func TestGrantSurvivesAKill(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "Written."
finish stop
---
match user "Again"
call call_2 notes_write {"title":"B","text":"two"}
finish tool_calls
---
match user "Again"
text "Written too."
finish stop
`)
	c.start("Write")
	c.decide("Write a note", "Allow for this conversation")
	c.awaitStatus(isReady)
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.server.Restart()
	c.visit(c.URL(), http.StatusOK)
	c.must(expect.Locator(c.grants()).ToHaveCount(1))
	c.send("Again")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"Written.", "Written too."}))
	c.must(expect.Locator(c.Locator("[data-card]")).ToHaveCount(0))
}

// A call that holds characters that can't be seen is decided by itself.
func TestGrantIsNotOfferedForHiddenText(t *testing.T) {
	t.Parallel()
	c := newChat(t, "call call_1 notes_write {\"title\":\"A\u202e\",\"text\":\"one\"}\nfinish tool_calls")
	c.start("Write")
	c.awaitStatus(isWaiting)
	c.must(expect.Locator(c.Locator("[data-card] button")).Not().ToHaveCount(0))
	c.must(expect.Locator(c.GetByText("Allow for this conversation")).ToHaveCount(0))
}
