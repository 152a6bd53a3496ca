package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// expectLate waits longer than a card that is left to expire, or a retry.
var expectLate = playwright.NewPlaywrightAssertions(20_000)

// expireAfter sets how long the agent's cards wait, and leads back to the page
// of a new conversation.
func (c *chat) expireAfter(limit string) {
	c.t.Helper()
	c.setLimit("A card waits for", limit)
}

// setLimit sets a limit of the agent, and leads back to the page of a new
// conversation.
func (c *chat) setLimit(label, limit string) {
	c.t.Helper()
	c.visit("/settings/agents", http.StatusOK)
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Assistant", Exact: playwright.Bool(true)}).Click())
	c.must(c.GetByLabel(label).Fill(limit))
	c.press("Save")
	c.wantText("main", "Saved.")
	c.visit("/", http.StatusOK)
}

// deadline is when the card that waits expires.
func (c *chat) deadline() time.Time {
	c.t.Helper()
	text, err := c.Locator("[data-card] [data-until]").GetAttribute("data-until")
	c.must(err)
	at, err := time.Parse(time.RFC3339Nano, text)
	c.must(err)
	return at
}

// wantExpired waits until the only card expires, and requires that nobody
// decided on it and nothing ran.
func (c *chat) wantExpired() {
	c.t.Helper()
	c.must(expectLate.Locator(c.Locator(".decided.is-expired")).ToHaveCount(1))
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.Locator("[data-card]")).ToHaveCount(0))
	c.wantText(".decided.is-expired", "Expired, not run", "nobody signed")
	c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(0))
	c.must(expect.Locator(c.finished()).ToHaveText("Then not."))
	c.wantAbsent([]string{"Approved"}, c.URL())
	c.wantReload()
	c.server.wantFacts(map[string]int{"tool_call_started": 0, "approval_decision": 1, "run_finished": 1})
}

// expiring makes a call that nobody decides on.
const expiring = `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
expect result "Nobody decided on this call in time"
text "Then not."
finish stop
`

// TestCardExpires is the case approval-after-expiry, with a shorter deadline
// and a tool of ours.
func TestCardExpires(t *testing.T) {
	t.Parallel()
	c := newChat(t, expiring)
	c.expireAfter("8s")
	late := c.server.signIn()
	// A page without script has the card for as long as it is not loaded anew.
	still := newPage(t, c.server.url, noScript)
	still.allow("409")
	still.signIn(adminEmail, adminPassword)

	c.start("Write")
	path, form := c.cardForm()
	still.visit(strings.TrimPrefix(c.URL(), c.server.url), http.StatusOK)
	still.must(expect.Locator(still.Locator("[data-card]")).ToHaveCount(1))
	c.wantText("[data-expiry].is-soon", "Expires in")

	c.wantExpired()
	for _, decision := range []string{"allow", "deny"} {
		status, body, err := late.post(path, with(form, decision))
		if status != http.StatusConflict || !strings.Contains(body, "Nothing waits for this any more") || err != nil {
			t.Errorf("%s too late: got %d, %v\n%s", decision, status, err, body)
		}
	}
	still.press("Approve once")
	still.wantText("main", "Nothing waits for this any more", "The card expired first", "Your signature was not used")
	c.wantExpired()
}

// A card that lapses while the server is down has expired all the same.
func TestCardExpiresWhileTheServerIsDown(t *testing.T) {
	t.Parallel()
	c := newChat(t, expiring)
	c.expireAfter("6s")
	c.start("Write")
	c.awaitStatus(isWaiting)
	deadline := c.deadline()
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.server.wantFacts(map[string]int{"approval_requested": 1, "approval_decision": 0})
	awaitClock(t, deadline)
	c.server.Restart()
	c.visit(c.URL(), http.StatusOK)
	c.wantExpired()
}

// awaitClock waits until a time of day.
func awaitClock(t *testing.T, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatal(fmt.Errorf("wait until %v: %w", at, t.Context().Err()))
	}
}
