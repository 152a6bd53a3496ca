package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

func (p *page) selects(label, option string) {
	p.t.Helper()
	_, err := p.GetByLabel(label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)}).SelectOption(playwright.SelectOptionValues{Labels: &[]string{option}})
	p.must(err)
}

// An admin writes rules, tries them, and they hold in the next conversation.
func TestPolicy(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"Quick milk","text":"one"}
call call_2 notes_write {"title":"Plan","text":"two"}
call call_3 notes_delete {"title":"Plan"}
finish tool_calls
---
expect results 3
text "Two of three."
finish stop`)
	c.allow("422")
	c.visit("/settings/policy", http.StatusOK)
	c.wantText("main", "No rules")
	c.wantAccessible()
	c.follow("New rule")
	c.fill("Name", "Quick notes")
	c.selects("Then", "Allow without asking")
	c.must(c.Locator("[name=tool]").Fill("notes write"))
	c.must(c.Locator("[name=match]").Fill("title = Quick *"))
	c.press("Save")
	c.wantText("main", "Enter the name of a tool")
	c.must(expect.Locator(c.Locator("[name=match]")).ToHaveValue("title = Quick *"))
	c.wantAccessible()
	c.must(c.Locator("[name=tool]").Fill("notes_write"))
	c.press("Save")
	c.wantText("main", "Quick notes was saved.", "$.title = Quick *")

	c.follow("New rule")
	c.fill("Name", "Notes are signed")
	c.selects("Then", "Ask a person each time")
	c.must(c.Locator("[name=tool]").Fill("notes_write"))
	c.must(c.Locator("[name=match]").Fill("$.title = P*"))
	c.press("Save")
	c.follow("New rule")
	c.fill("Name", "Nothing goes")
	c.selects("Then", "Deny, and nothing overrides it")
	c.must(c.Locator("[name=tool]").Fill("*_delete"))
	c.press("Save")
	c.wantText("main", "Deny, always")

	c.selects("This tool", "notes_write")
	c.selects("For", "A member")
	c.must(c.Locator("[name=arguments]").Fill(`{"title":"Plan"}`))
	c.press("Try")
	c.wantText("#policy-try [role=status]", "Ask.", "The rule “Notes are signed” says so.")
	c.must(expect.Locator(c.Locator("[name=arguments]")).ToHaveValue(`{"title":"Plan"}`))
	c.wantAccessible()

	c.visit("/", http.StatusOK)
	c.start("Write")
	c.awaitStatus(isWaiting)
	card := c.Locator("[data-card]")
	c.must(expect.Locator(card.Locator("form.card__body")).ToHaveCount(1))
	c.must(expect.Locator(card).ToContainText("The rule “Notes are signed” has a person decide on this each time."))
	c.must(expect.Locator(card.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Allow for this conversation"})).ToHaveCount(0))
	c.wantAccessible()
	c.must(c.Locator("[data-card]:not([data-fresh])").GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Approve once"}).Click())
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.finished()).ToHaveText("Two of three."))
	c.must(expect.Locator(c.ran("notes_write").First()).ToContainText("done, allowed by the rule “Quick notes”"))
	c.must(expect.Locator(c.ran("notes_delete")).ToContainText("not run: denied by policy"))
	c.must(c.ran("notes_delete").Locator("summary").Click())
	c.must(expect.Locator(c.ran("notes_delete")).ToContainText("The rule “Nothing goes” denies it, and nothing overrides that."))
	c.wantReload()
	c.wantAccessible()

	c.visit("/settings/policy", http.StatusOK)
	c.follow("Quick notes")
	c.follow("Remove …")
	c.wantAccessible()
	c.press("Remove rule")
	c.wantText("main", "Quick notes was removed.")
	c.must(expect.Locator(c.Locator("tbody tr")).ToHaveCount(2))
}
