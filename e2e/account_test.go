package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// elsewhere signs the admin in with another browser.
func (c *chat) elsewhere() *page {
	c.t.Helper()
	other := newPage(c.t, c.server.url)
	other.allow("401|422") // the console names the pages that refuse
	other.signIn(adminEmail, adminPassword)
	return other
}

// A person finds a browser in which they are signed in, ends it from another
// one, and ends all others by a new password. Open tabs there say so at once.
func TestOwnAccount(t *testing.T) {
	t.Parallel()
	c := newChat(t, `text "Hello."
finish stop`)
	c.allow("422") // the console names a refused form
	c.start("Say hello")
	c.awaitStatus(isReady)
	conversation := c.URL()
	first, second := c.elsewhere(), c.elsewhere()
	var tabs []*page
	for _, other := range []*page{first, second} {
		other.visit(conversation, http.StatusOK)
		tabs = append(tabs, (&chat{page: other}).followed())
	}

	c.visit("/account", http.StatusOK)
	rows := c.Locator("main tbody tr")
	c.must(expect.Locator(rows).ToHaveCount(3))
	c.must(expect.Locator(rows.Filter(playwright.LocatorFilterOptions{HasText: "This browser"})).ToHaveCount(1))
	c.must(rows.GetByRole("button", playwright.LocatorGetByRoleOptions{Name: "Sign out"}).First().Click())
	c.must(expect.Locator(rows).ToHaveCount(2))

	c.fill("Current password", "not my password")
	c.fill("New password", "a quite different password")
	c.press("Change password")
	c.must(expect.Locator(c.Locator("#field-current")).ToHaveAttribute("aria-invalid", "true"))
	c.fill("Current password", adminPassword)
	c.fill("New password", "a quite different password")
	c.press("Change password")
	c.must(expect.Locator(rows).ToHaveCount(1))
	for i, other := range []*page{first, second} {
		tabs[i].connectionIs("is-ended")
		other.visit("/account", http.StatusOK)
		other.must(expect.Locator(other.Locator("h1")).ToHaveText("Sign in"))
	}

	first.fill("Email", adminEmail)
	first.fill("Password", adminPassword)
	first.press("Sign in")
	first.must(expect.Locator(first.Locator("[aria-invalid=true]").First()).ToBeVisible())
	first.signIn(adminEmail, "a quite different password")
	c.fill("Your name", "Another Name")
	c.press("Save")
	c.must(expect.Locator(c.Locator("[popovertarget=account]")).ToContainText("Another Name"))
}
