package e2e_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// From nothing to the first countersigned call, without a network: the
// practice provider is a part of the program, and the page asks no other host
// for anything.
func TestFirstCallOffline(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)
	p.must(expect.Page(p).ToHaveURL("/welcome"))
	p.press("Try it offline")
	p.must(expect.Page(p).ToHaveURL(newWithModel))
	p.wantVisible("What needs doing?")
	p.suggestion("A call that waits for you")

	p.awaitStatus(isWaiting)
	p.wantText("[data-card]", "Waiting for your countersignature", "Write a note", "notes_write", "Practice note", "Signing as "+adminName)
	p.must(expect.Locator(p.Locator(".decided")).ToHaveCount(0))
	p.decide("Write a note", "Approve once")
	p.awaitStatus(isReady)
	p.wantText(".decided", "Approved", adminName)
	p.must(expect.Locator(p.finished().Last()).ToContainText("The note \"Practice note\" is written."))
	p.wantSame(p.join())

	// The note is there: another call reads it.
	p.send("List my notes.")
	p.must(expect.Locator(p.finished().Last()).ToContainText("A tool that only reads runs without a card."))
	p.must(expect.Locator(p.finished().Last()).ToContainText("Practice note"))

	p.visit("/settings/providers", http.StatusOK)
	p.wantText("main", "Scripted")
}

// Reading, sending and deciding work as plain forms.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url, noScript)
	setUp(t, s, p)
	p.press("Try it offline")
	p.must(expect.Page(p).ToHaveURL(newWithModel))
	p.suggestion("A call that waits for you")
	p.reloadUntil("#bar-meta", isWaiting)
	p.press("Approve once")
	p.reloadUntil("#bar-meta", isReady)
	p.must(expect.Locator(p.finished().Last()).ToContainText("The note \"Practice note\" is written."))

	p.must(p.Locator("#message").Fill("List my notes."))
	p.press("Send")
	p.reloadUntil("#bar-meta", isReady)
	p.reloadUntil("#runs", "A tool that only reads runs without a card.")
	p.must(expect.Locator(p.finished().Last()).ToContainText("Practice note"))
}

// Questions can be tried offline, and are answered by the card or by a message.
func TestPracticeAsks(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)
	p.press("Try it offline")
	p.must(expect.Page(p).ToHaveURL(newWithModel))
	p.suggestion("Questions for you")
	p.awaitStatus(isAsking)
	p.choose("District 3")
	p.choose("The branch")
	p.answer("Send the answers")
	p.awaitStatus(isReady)
	p.must(expect.Locator(p.finished().Last()).ToContainText(`{"answers":{"Branch":"District 3","Notify":["The branch"]}}`))
	p.send("Ask me something.")
	p.awaitStatus(isAsking)
	p.send("Whatever you like.")
	p.awaitStatus(isReady)
	p.must(expect.Locator(p.finished().Last()).ToContainText("Whatever you like."))
}

// newWithModel is where trying the practice provider leads.
var newWithModel = regexp.MustCompile(`/\?model=[^&]+$`)

// suggestion presses what can be tried with the practice provider.
func (p *page) suggestion(label string) {
	p.t.Helper()
	p.must(p.Locator(".starters button", playwright.PageLocatorOptions{HasText: label}).Click())
}
