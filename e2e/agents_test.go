package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

func (p *page) follow(link string) {
	p.t.Helper()
	p.must(p.GetByRole("link", playwright.PageGetByRoleOptions{Name: link, Exact: playwright.Bool(true)}).Click())
}

func (p *page) tick(name string, on bool) {
	p.t.Helper()
	p.must(p.GetByRole("checkbox", playwright.PageGetByRoleOptions{Name: name}).SetChecked(on))
}

// An admin adds an agent, talks to it and removes it. What was said stays
// readable, and the conversation says why nobody answers.
func TestAgentComesAndGoes(t *testing.T) {
	t.Parallel()
	c := newChat(t, `text "Dear Ann."
finish stop
---
text "Dear Ann again."
finish stop`)
	c.allow("422") // the console names every refused form
	c.visit("/settings/agents", http.StatusOK)
	c.follow("New agent")
	c.fill("Name", "Assistant")
	c.fill("Instructions", "Write letters.")
	c.tick("Write a note", true)
	c.tick("Current time", false)
	c.press("Save")
	c.wantText("main", "There is an agent of this name.")
	c.must(expect.Locator(c.GetByLabel("Instructions")).ToHaveValue("Write letters."))
	c.must(expect.Locator(c.Locator("[name=tool]:checked")).ToHaveCount(4))
	c.wantAccessible()
	c.fill("Name", "Letters")
	c.press("Save")
	c.wantText("main", "Saved.")
	c.must(expect.Locator(c.Locator("[name=tool]:checked")).ToHaveCount(4))

	c.visit("/", http.StatusOK)
	_, err := c.GetByLabel("Agent").SelectOption(playwright.SelectOptionValues{Labels: &[]string{"Letters"}})
	c.must(err)
	c.tick("No drafts", true)
	c.start("Write to Ann")
	c.wantText("#bar-meta", "Letters · ready")
	c.must(expect.Locator(c.finished()).ToHaveText("Dear Ann."))
	c.must(expect.Locator(c.GetByRole("checkbox", playwright.PageGetByRoleOptions{Name: "No drafts"})).ToBeChecked())
	conversation := c.URL()

	c.visit("/settings/agents", http.StatusOK)
	c.follow("Letters")
	c.follow("Remove …")
	c.wantText("main", "1 conversation uses it.")
	c.wantAccessible()
	c.press("Remove agent")
	c.wantText("main", "Letters was removed.")

	c.visit(conversation, http.StatusOK)
	c.must(expect.Locator(c.finished()).ToHaveText("Dear Ann."))
	c.wantText("main", "Letters was removed.")
	c.wantAccessible()
	c.must(c.Locator("#message").Fill("And now?"))
	c.press("Send")
	c.wantText("#toasts", "was removed, so nobody would answer")
	c.must(expect.Locator(c.Locator("#message")).ToHaveValue("And now?"))
	c.follow("Start a fresh conversation from here")
	c.start("Once more")
	c.wantText("#bar-meta", "Assistant")

	c.visit("/settings/agents", http.StatusOK)
	c.follow("Assistant")
	c.follow("Remove …")
	c.wantText("main", "This is the only agent")
}
