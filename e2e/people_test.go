package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// invited makes a link, opens it in another browser and accepts it.
func (c *chat) invited(email, name string) *chat {
	c.t.Helper()
	c.visit("/settings/people/invite", http.StatusOK)
	c.fill("Email", email)
	c.must(c.Locator("#field-name").Fill(name))
	c.press("Make the link")
	link, err := c.Locator("[data-source]").TextContent()
	c.must(err)
	other := newPage(c.t, c.server.url)
	_, err = other.Goto(link)
	other.must(err)
	other.fill("Password", "another long password")
	other.press("Create the account")
	other.must(expect.Page(other).ToHaveURL("/"))
	return &chat{page: other, server: c.server}
}

// An invited person talks to the agent until an admin disables them: from then
// on their tabs say so and do not come back.
func TestPeopleComeAndGo(t *testing.T) {
	t.Parallel()
	c := newChat(t, `text "Hello."
finish stop`)
	ines := c.invited("ines@example.com", "Ines Okafor")
	ines.allow("401") // the console names the page that asks to sign in
	ines.start("Say hello")
	ines.awaitStatus(isReady)
	tab := ines.followed()

	c.visit("/settings/people", http.StatusOK)
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Ines Okafor", Exact: playwright.Bool(true)}).Click())
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Disable …", Exact: playwright.Bool(true)}).Click())
	c.press("Disable")
	c.wantVisible("Ines Okafor is disabled and signed out.")
	tab.connectionIs("is-ended")
	ines.visit("/account", http.StatusOK)
	ines.must(expect.Locator(ines.Locator("h1")).ToHaveText("Sign in"))
}

// Titles, the archive and deletion, as a person does them. Another tab of the
// conversation follows until it is gone.
func TestConversationsAreKeptInOrder(t *testing.T) {
	t.Parallel()
	c := newChat(t, `text "Hello."
finish stop`)
	c.allow("422") // the console names a refused title
	c.start("Say hello")
	c.awaitStatus(isReady)
	tab := c.followed()
	title := tab.Locator("#bar-title")

	c.press("Details")
	c.fill("Title", "  A title of my own ")
	c.press("Rename")
	c.must(expect.Locator(title).ToHaveText("A title of my own"))
	c.must(expect.Locator(c.Locator("#conversations .nav__text")).ToHaveText("A title of my own"))
	c.fill("Title", "\u202e")
	c.press("Rename")
	c.must(expect.Locator(c.Locator("#toasts")).ToContainText("Enter a title."))
	c.must(c.Locator("#toasts [data-dismiss]").Click()) // it lies above the drawer

	row := tab.Locator("#conversations a")
	c.press("Details")
	c.press("Archive")
	c.must(expect.Locator(row).ToHaveCount(0))
	c.press("Bring back")
	c.must(expect.Locator(row).ToHaveCount(1))

	c.must(c.Locator("#details").GetByRole("link", playwright.LocatorGetByRoleOptions{Name: "Delete …"}).Click())
	c.wantVisible("What is lost")
	c.press("Delete the conversation")
	c.wantVisible("The conversation was deleted.")
	tab.connectionIs("is-ended")
	c.must(expect.Locator(c.Locator("#conversations a")).ToHaveCount(0))
}
