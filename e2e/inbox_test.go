package e2e_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// A card of one conversation appears in the inbox of another tab, with a count
// in the sidebar and before the title, and is decided there. The sidebar of an
// unrelated conversation says where the other one stands.
func TestInbox(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
match user "Greet"
text "Hello."
finish stop
---
match user "Write"
match results 0
text "I will write it down."
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
match user "Write"
text "It is done."
finish stop
`)
	c.start("Greet me")
	c.awaitStatus(isReady)
	inbox := c.join()
	inbox.visit("/inbox", http.StatusOK)
	inbox.wantText("main", "Nothing waits for you")

	other := &chat{page: c.join(), server: c.server, model: c.model}
	other.visit("/", http.StatusOK)
	other.start("Write it")
	other.awaitStatus(isWaiting)

	inbox.wantText("#inbox", "Write it", "Write a note", "Waiting for your countersignature")
	inbox.wantText("#inbox-link", "1 waits for you")
	for _, p := range []*page{inbox, c.page} {
		p.must(expect.Page(p.Page).ToHaveTitle(regexp.MustCompile(`^\(1\) `)))
	}
	c.wantText("#conversations", "Write it", "needs you")
	if href, err := inbox.Locator("#favicon").GetAttribute("href"); err != nil || !strings.Contains(href, "favicon-needs") {
		t.Errorf("the picture of the tab is %s, %v", href, err)
	}
	inbox.wantAccessible()

	inbox.decide("Write a note", "Approve once")
	inbox.wantText("main", "Nothing waits for you")
	other.awaitStatus(isReady)
	inbox.must(expect.Page(inbox.Page).ToHaveTitle("Inbox · Countersign"))
	c.must(expect.Page(c.page.Page).ToHaveTitle("Greet me · Countersign"))
}
