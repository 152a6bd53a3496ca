package e2e_test

import (
	"net/http"
	"testing"
)

// Whatever one tab does, the other shows: messages, drafts, titles, the rows
// of the sidebar.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "One"
gate one
finish stop
---
text "Two"
gate two
finish stop
---
gate three
text "Three"
finish stop
`)
	c.start("First message")
	other := c.join()
	both := []*page{c.page, other}
	same := func(status, text string) {
		t.Helper()
		for _, tab := range both {
			tab.awaitStatus(status)
			tab.wantText("#runs", text)
		}
		c.wantSame(other)
	}
	c.model.Reached("one")
	same(isWorking, "One")
	c.model.Release("one")
	same(isReady, "One")

	other.send("Second message")
	c.model.Reached("two")
	same(isWorking, "Two")
	c.wantText("#runs", "Second message")
	late := c.join()
	late.wantDraft("Two")
	c.wantSame(late)
	both = append(both, late)
	c.model.Release("two")
	same(isReady, "Two")

	// The list of another conversation follows when it is opened.
	late.visit("/", http.StatusOK)
	late.start("Another conversation")
	c.model.Reached("three")
	late.wantText("#conversations", "First message", "Another conversation")
	c.model.Release("three")
	late.awaitStatus(isReady)
	c.lacks("the first conversation", c.normalised(), []string{"Three"})
}
