package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// An admin switches approvals off in a conversation: a banner says so in every
// tab, also after a restart, calls run without a card, and what a rule denies
// for good does not. It ends when somebody ends it.
func TestBypass(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Hello."
finish stop
---
match user "Write"
call call_1 notes_write {"title":"A","text":"a"}
call call_2 notes_delete {"title":"B"}
finish tool_calls
---
match user "Write"
expect results 2
text "One of two."
finish stop
---
match user "Again"
call call_3 notes_write {"title":"C","text":"c"}
finish tool_calls
---
match user "Again"
expect result "decided against"
text "Not again."
finish stop`)
	c.visit("/settings/policy/new", http.StatusOK)
	c.fill("Name", "Nothing goes")
	c.selects("Then", "Deny, and nothing overrides it")
	c.must(c.Locator("[name=tool]").Fill("*_delete"))
	c.press("Save")

	c.visit("/", http.StatusOK)
	c.start("Hi")
	c.awaitStatus(isReady)
	other := c.join()
	c.must(expect.Locator(c.Locator("#bypass")).ToBeHidden())
	c.press("Details")
	c.follow("Switch approvals off …")
	c.wantText("main", "whatever the model asks it to do", "Rules of policy still deny and still ask.")
	c.wantAccessible()
	c.press("Switch approvals off")
	for _, tab := range []*page{c.page, other} {
		tab.wantText("#bypass", "Approvals are off in this conversation.", "Switched off by "+adminName)
	}
	c.wantAccessible()
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.server.Restart()
	for _, tab := range []*page{c.page, other} {
		tab.visit(c.URL(), http.StatusOK)
		tab.wantText("#bypass", "Approvals are off in this conversation.")
	}

	c.must(c.Locator("#message").Fill("Write"))
	c.press("Send")
	c.must(expect.Locator(c.finished().Last()).ToHaveText("One of two."))
	c.must(expect.Locator(c.ran("notes_write")).ToContainText("done, allowed by bypass"))
	c.must(expect.Locator(c.ran("notes_delete")).ToContainText("not run: denied by policy"))
	c.must(expect.Locator(c.Locator("[data-card]")).ToHaveCount(0))
	c.server.wantFacts(map[string]int{"bypass_started": 1, "approval_decision": 2, "approval_requested": 0, "tool_call_started": 1})

	c.must(c.SetViewportSize(320, 640))
	if c.overflows() {
		t.Error("the banner makes the page wider than its window")
	}
	c.wantAccessible()
	c.must(c.Locator("#bypass").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Switch approvals on"}).Click())
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.Locator("#bypass")).ToBeHidden())
	}
	c.must(c.SetViewportSize(1280, 800))
	c.must(c.Locator("#message").Fill("Again"))
	c.press("Send")
	c.awaitStatus(isWaiting)
	c.must(c.Locator("[data-card]:not([data-fresh])").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Deny"}).Click())
	c.must(expect.Locator(c.finished().Last()).ToHaveText("Not again."))
	c.wantReload()
}
