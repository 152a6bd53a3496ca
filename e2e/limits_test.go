package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// Where a person may have one run at once, the next one says that it waits for
// its turn, and gets it when the first ends.
func TestRunsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "First."
gate first
finish stop
---
text "Second."
finish stop
`)
	c.allow("422") // the console names a refused form
	c.visit("/settings/server", http.StatusOK)
	runs := c.GetByLabel("Runs of one person at once")
	c.must(runs.Fill("none"))
	c.press("Save")
	c.must(expect.Locator(runs).ToHaveAttribute("aria-invalid", "true"))
	c.must(expect.Locator(runs).ToHaveValue("none"))
	c.must(runs.Fill("1"))
	c.must(c.GetByLabel("Delete conversations that nobody has used").Fill("30"))
	c.press("Save")
	c.wantText("main", "Saved.")

	c.visit("/", http.StatusOK)
	c.start("One")
	c.model.Reached("first")
	c.wantDraft("First.")
	other := &chat{page: c.another(), server: c.server}
	other.visit("/", http.StatusOK)
	other.start("Two")
	other.wantText("#runs", "Waiting to start")
	c.model.Release("first")
	c.awaitStatus(isReady)
	other.awaitStatus(isReady)
	if got := other.plainText(); got != "Second." {
		t.Errorf("got the answer %q", got)
	}
}

// A person sees completed attempts only where they ask for it, for one message
// and no other one; the same with reasoning.
func TestOutputOfOneMessage(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "A thought."
text "Held back."
gate held
finish stop
---
reasoning "Another thought."
text "Shown."
gate shown
finish stop
`)
	toggle := func(name string) playwright.Locator {
		return c.Locator("#composer").GetByLabel(name)
	}
	c.must(toggle("No drafts").Check())
	c.must(toggle("Reasoning").Uncheck())
	c.start("One")
	c.model.Reached("held")
	tab := c.followed()
	tab.wantText("#runs", "One")
	tab.lacks("the page of a held attempt", tab.normalised(), []string{"Held back.", "A thought."})
	c.model.Release("held")
	c.awaitStatus(isReady)
	if got := c.plainText(); got != "Held back." {
		t.Errorf("got the answer %q", got)
	}
	c.visit(c.URL(), http.StatusOK)
	c.wantAbsent([]string{"A thought."}, c.URL())

	c.must(toggle("No drafts").Uncheck())
	c.must(toggle("Reasoning").Check())
	c.send("Two")
	c.model.Reached("shown")
	c.wantDraft("Shown.")
	c.wantVisible("Another thought.")
	c.model.Release("shown")
	c.awaitStatus(isReady)
}
