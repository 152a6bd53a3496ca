package e2e_test

import (
	"testing"
)

func TestFailedAttemptVanishes(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "an old thought"
text "Partial content"
gate half
error overloaded
---
gate again
text "Successful content."
finish stop
`)
	c.start("Try it")
	c.model.Reached("half")
	c.wantDraft("Partial content")
	other := c.another()
	other.visit(c.URL(), 200)
	other.wantDraft("Partial content")

	withdrawn := []string{"Partial content", "an old thought"}
	c.model.Release("half")
	c.must(expect.Locator(c.GetByText("Attempt 2 of 3 starts in")).ToBeVisible())
	c.wantAbsent(withdrawn, c.URL(), "/")

	c.model.Reached("again")
	c.model.Release("again")
	c.awaitStatus(isReady)
	if got := c.plainText(); got != "Successful content." {
		t.Errorf("got the answer %q", got)
	}
	c.wantAbsent(withdrawn, c.URL(), "/")
	other.awaitStatus(isReady)
	c.wantSame(other)
	other.visit(c.URL(), 200)
	c.wantSame(other)
}
