package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A reviewer judges the calls of an agent: what it allows and denies shows no
// card and says who decided and why; a person decides what it is unsure about,
// and what it gives no verdict on.
func TestReviewer(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"a"}
call call_2 notes_write {"title":"B","text":"b"}
call call_3 notes_write {"title":"C","text":"c"}
call call_4 notes_write {"title":"D","text":"d"}
finish tool_calls
---
match system "You review tool calls"
match user "\\\"title\\\":\\\"A\\\""
gate judged
text "{\"verdict\":\"allow\",\"reason\":\"The person asked for it.\"}"
finish stop
---
match user "\\\"title\\\":\\\"B\\\""
text "{\"verdict\":\"deny\",\"reason\":\"<b>Nobody</b> asked for it.\"}"
finish stop
---
match user "\\\"title\\\":\\\"C\\\""
text "{\"verdict\":\"unsure\"}"
finish stop
---
match user "\\\"title\\\":\\\"D\\\""
text "Sure, go ahead!"
finish stop
---
expect results 4
text "Two of four."
finish stop`)
	c.visit("/settings/agents", http.StatusOK)
	c.follow("Assistant")
	_, err := c.Locator("[name=reviewer]").SelectOption(playwright.SelectOptionValues{Indexes: &[]int{1}})
	c.must(err)
	c.press("Save")
	c.wantText("main", "Saved.")
	c.wantAccessible()

	c.visit("/", http.StatusOK)
	c.start("Write")
	c.wantText(".run-state", "The reviewer model is judging: Write a note")
	c.wantReload()
	c.wantAccessible()
	c.model.Release("judged")
	c.awaitStatus(isWaiting)
	card := c.Locator("[data-card]")
	c.must(expect.Locator(card.Locator("form.card__body")).ToHaveCount(2))
	c.must(expect.Locator(card.Locator(".card__review").First()).ToHaveText("The reviewer model was unsure, so a person decides. It gave no explanation."))
	c.must(expect.Locator(card.Locator(".card__review").Last()).ToHaveText("The reviewer model gave no verdict that can be read, so a person decides."))
	c.wantAccessible()
	c.must(c.Locator("[data-card]:not([data-fresh]) form.card__body").First().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Approve once"}).Click())
	c.must(expect.Locator(card.Locator("form.card__body")).ToHaveCount(1))
	c.must(c.Locator("[data-card]:not([data-fresh]) form.card__body").First().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Deny"}).Click())
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToHaveText("Two of four."))
	c.must(expect.Locator(c.ran("notes_write").First()).ToContainText("done, allowed by the reviewer model"))
	denied := c.ran("notes_write").Nth(1)
	c.must(expect.Locator(denied).ToContainText("not run: denied by the reviewer model"))
	c.must(denied.Locator("summary").Click())
	c.must(expect.Locator(denied).ToContainText("The reviewer model denied it. “<b>Nobody</b> asked for it.”"))
	c.server.wantFacts(map[string]int{"approval_requested": 1, "approval_decision": 6, "tool_call_started": 2})
	c.wantReload()
	c.wantAccessible()
}
