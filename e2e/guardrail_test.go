package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// An admin gives an agent a guardrail. What it holds back is never in the page,
// also while it is written; a person is asked, in every tab and after a restart,
// and lets the model try again. A run that repeats itself is put to them too.
func TestGuardrails(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "The price list says "
gate half
text "four."
finish stop
---
text "From the price list: four."
finish stop
---
expect user "Respond again"
text "I may not say."
finish stop
---
match user "Look"
call call_1 notes_list {}
finish tool_calls
---
match user "Look"
call call_1 notes_list {}
finish tool_calls`)
	c.allow("422")
	c.visit("/settings/agents", http.StatusOK)
	c.follow("Assistant")
	c.must(c.Locator("[name=max_retries]").Fill("1"))
	c.must(c.Locator("[name=same_calls]").Fill("1"))
	c.tick("Ask a person instead of failing", true)
	c.press("Save")
	c.wantText("main", "Saved.")
	c.follow("New pattern")
	c.must(c.Locator("[name=name]").Fill("No <price> lists"))
	c.must(c.Locator("[name=pattern]").Fill("(?=price)"))
	c.press("Save")
	c.wantText("main", "Enter a regular expression (RE2)")
	c.wantAccessible()
	c.must(c.Locator("[name=pattern]").Fill("(?i)price list"))
	c.press("Save")
	c.wantText("main", "No <price> lists was saved.", "Holds back anything with (?i)price list")
	c.wantAccessible()

	c.visit("/", http.StatusOK)
	c.start("How much is it?")
	c.model.Reached("half")
	c.wantAbsent([]string{"price list says"}, c.URL())
	c.model.Release("half")
	card := c.Locator(".card.safety.is-waiting:not([data-fresh])")
	c.must(expect.Locator(card).ToContainText("The guardrail “No <price> lists” does not let through what the model wrote, and 2 responses were held back."))
	c.must(expect.Locator(c.Locator(".attempt.is-withdrawn").First()).ToHaveText("Response 1 was held back by the guardrail “No <price> lists”, for its answer."))
	other := c.join()
	c.wantAccessible()
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.server.Restart()
	for _, tab := range []*page{c.page, other} {
		tab.visit(c.URL(), http.StatusOK)
		tab.must(expect.Locator(tab.Locator(".card.safety.is-waiting")).ToHaveCount(1))
	}
	c.must(c.SetViewportSize(320, 640))
	if c.overflows() {
		t.Error("the card makes the page wider than its window")
	}
	c.must(card.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Ask the model again"}).Click())
	c.must(expect.Locator(c.finished()).ToHaveText("I may not say."))
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.Locator(".card.safety.is-decided")).ToContainText(adminName))
	}
	c.wantAbsent([]string{"price list says", "From the price list"}, c.URL(), "/")
	c.wantReload()

	c.send("Look")
	loop := c.Locator(".card.safety.is-waiting:not([data-fresh])")
	c.must(expect.Locator(loop).ToContainText("for the 2nd time in this run, with the same arguments."))
	c.wantAccessible()
	c.must(loop.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "End the run"}).Click())
	c.wantText("main", "The agent repeated itself.")
	c.server.wantFacts(map[string]int{"output_withheld": 2, "safety_requested": 2, "safety_answered": 2, "tool_call_started": 1})
	c.wantReload()
}
