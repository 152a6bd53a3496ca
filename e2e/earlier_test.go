package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A long conversation opens at its newest runs. The ones before are a page
// away, for reading; nothing comes to that page and nothing is sent from it.
func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	const runs = 25
	script := strings.TrimSuffix(strings.Repeat("quote user\nfinish stop\n---\n", runs), "---\n")
	c := newChat(t, script)
	c.start("Message 1.")
	c.awaitStatus(isReady)
	path := strings.TrimPrefix(c.URL(), c.server.url)
	for n := 2; n <= runs; n++ { // they queue up, and run in order
		c.post(path+"/messages", map[string]any{"message_id": fmt.Sprintf("m_%024d", n), "text": fmt.Sprintf("Message %d.", n)})
	}
	last := fmt.Sprintf("Message %d.", runs)
	c.wantText("#runs", last)
	c.must(expect.Locator(c.finished().Last()).ToHaveText(last))
	c.awaitStatus(isReady)

	reopened := c.another()
	reopened.visit(path, http.StatusOK)
	reopened.must(expect.Locator(reopened.finished().Last()).ToHaveText(last))
	reopened.lacks("the newest part", reopened.inner("#runs"), []string{"Message 1.", "Message 5."})
	reopened.must(reopened.GetByText("Show earlier messages").Click())
	reopened.wantText("#runs", "Message 1.", "Message 5.")
	reopened.lacks("the earlier part", reopened.inner("#runs"), []string{"Message 6.", last})
	reopened.must(expect.Locator(reopened.Locator("#composer, [data-live]")).ToHaveCount(0))
	reopened.must(reopened.GetByText("Go to the newest messages").Click())
	reopened.wantText("#runs", last)
	reopened.must(expect.Locator(reopened.Locator("#composer")).ToBeVisible())
}
