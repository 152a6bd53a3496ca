package e2e_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// keepSockets is a script for new documents. It keeps every socket of the page
// in window.__sockets, and notes at the root how many were opened and which
// lines about the connection were shown, which may be there for a moment only.
var keepSockets = playwright.Script{Content: playwright.String(`
	window.__sockets = [];
	const root = () => document.documentElement.dataset;
	window.WebSocket = class extends WebSocket {
		constructor(...args) {
			super(...args);
			const n = window.__sockets.push(this);
			this.addEventListener('open', () => { root().sockets = n });
		}
	};
	let last;
	new MutationObserver(() => {
		const state = document.querySelector('#connection:not([hidden]) > :not([hidden])')?.dataset.state;
		if (state && state !== last) root().told = (root().told ?? '') + state + ' ';
		last = state;
	}).observe(document, {attributes: true, attributeFilter: ['hidden'], subtree: true});
`)}

// followed opens the conversation of the chat in another tab, whose sockets
// can be closed, and waits until it follows.
func (c *chat) followed() *page {
	c.t.Helper()
	tab := c.another()
	c.must(tab.AddInitScript(keepSockets))
	tab.visit(c.URL(), http.StatusOK)
	tab.awaitSocket(1)
	return tab
}

// awaitSocket waits until the page's nth socket is open.
func (p *page) awaitSocket(n int) {
	p.t.Helper()
	p.must(expect.Locator(p.Locator("html")).ToHaveAttribute("data-sockets", strconv.Itoa(n)))
}

// cut closes the page's newest socket, for the nth time, and waits until the
// page says so.
func (p *page) cut(n int) {
	p.t.Helper()
	_, err := p.Evaluate(`() => window.__sockets.at(-1).close()`)
	p.must(err)
	p.wasLost(n)
}

// wasLost waits until the page says for the nth time that the connection is
// lost.
func (p *page) wasLost(n int) {
	p.t.Helper()
	told := regexp.MustCompile("^" + strings.Repeat("is-lost is-back ", n-1) + "is-lost ")
	p.must(expect.Locator(p.Locator("html")).ToHaveAttribute("data-told", told))
}

// connectionIs waits until the banner shows the line of a state; "" is none.
func (p *page) connectionIs(state string) {
	p.t.Helper()
	if state == "" {
		p.must(expect.Locator(p.Locator("#connection")).ToBeHidden())
		return
	}
	p.must(expect.Locator(p.Locator("#connection > [data-state=" + state + "]")).ToBeVisible())
}

// wasBack waits until the page has said so many times that the connection was
// lost and came back.
func (p *page) wasBack(times int) {
	p.t.Helper()
	p.must(expect.Locator(p.Locator("html")).ToHaveAttribute("data-told", strings.Repeat("is-lost is-back ", times)))
}

// A socket that is cut while text arrives costs nothing: the page says so, is
// given what it missed, and ends as one that was never cut.
func TestCutSocket(t *testing.T) {
	t.Parallel()
	c := newChat(t, longRun)
	c.start("Go")
	tab := c.followed()
	for n, gate := range longRunGates {
		c.model.Reached(gate)
		tab.cut(n + 1)
		c.must(expect.Locator(tab.Locator("#connection [data-seconds]").First()).ToHaveText(regexp.MustCompile(`^\d$`)))
		c.model.Release(gate) // goes on while the tab hears nothing
		tab.awaitSocket(n + 2)
		tab.wasBack(n + 1)
	}
	c.awaitStatus(isReady)
	tab.awaitStatus(isReady)
	c.wantSame(tab, c.join())
	tab.connectionIs("")

	// Where nothing was missed, the tab still learns that it is connected.
	tab.cut(len(longRunGates) + 1)
	tab.awaitSocket(len(longRunGates) + 2)
	tab.wasBack(len(longRunGates) + 1)
	c.wantSame(tab)
}

// A tab without a network misses the rest of the run, and has all of it as
// soon as the network is back.
func TestOffline(t *testing.T) {
	t.Parallel()
	c := newChat(t, longRun)
	c.start("Go")
	away := newPage(t, c.server.url)
	away.allow("ERR_INTERNET_DISCONNECTED")
	away.signIn(adminEmail, adminPassword)
	away.must(away.AddInitScript(keepSockets))
	away.visit(c.URL(), http.StatusOK)
	away.awaitSocket(1)

	c.model.Reached("failing")
	c.model.Release("failing")
	c.model.Reached("thinking")
	away.wantText("#runs", "First I think.")
	away.must(away.Context().SetOffline(true))
	away.cut(1)
	for _, gate := range longRunGates[1:] {
		c.model.Reached(gate)
		c.model.Release(gate)
	}
	c.awaitStatus(isReady)
	away.lacks("the tab without a network", away.normalised(), []string{"The end"})

	away.must(away.Context().SetOffline(false))
	away.awaitStatus(isReady)
	away.wasBack(1)
	c.wantSame(away)
}

// A connection that is open and says nothing is given up after 40 seconds.
func TestSilentConnection(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
gate half
text "There you are."
finish stop
`)
	c.start("Go")
	tab := c.another()
	c.must(tab.Clock().Install())
	c.must(tab.AddInitScript(keepSockets))
	tab.visit(c.URL(), http.StatusOK)
	tab.awaitSocket(1)
	c.wantSame(tab)

	_, err := tab.Evaluate(`() => { window.__sockets[0].onmessage = null }`)
	c.must(err)
	c.model.Reached("half")
	c.model.Release("half")
	c.awaitStatus(isReady)
	tab.must(tab.Clock().FastForward("45"))
	tab.wasLost(1)
	tab.must(tab.Clock().FastForward("03"))
	tab.awaitSocket(2)
	tab.awaitStatus(isReady)
	c.wantSame(tab)
}

// A server that stops in the middle of an answer tries the step again when it
// is back. The tabs find it by themselves and end as a tab that is opened then.
func TestServerStopsInMidStream(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "an old thought"
text "Partial content"
gate half
text "never sent"
finish stop
---
gate again
text "Whole content."
finish stop
`)
	c.allow("WebSocket connection to .* failed")
	c.start("Go")
	other := c.followed()
	c.model.Reached("half")
	c.wantDraft("Partial content")
	other.wantDraft("Partial content")

	c.server.Stop()
	c.connectionIs("is-lost")
	c.server.Restart()
	c.model.Reached("again")
	c.model.Release("again")
	c.awaitStatus(isReady)
	other.awaitStatus(isReady)
	c.wantSame(other, c.join())
	if got := c.plainText(); got != "Whole content." {
		t.Errorf("got the answer %q", got)
	}
	c.wantAbsent([]string{"Partial content", "an old thought", "never sent"}, c.URL(), "/")
}

// A page that is left and come back to by the browser's own buttons follows
// again.
func TestBack(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Before."
gate half
text " After."
finish stop
`)
	c.start("Go")
	c.model.Reached("half")
	c.wantDraft("Before.")
	c.visit("/settings/providers", http.StatusOK)
	_, err := c.GoBack()
	c.must(err)
	c.wantDraft("Before.")
	c.model.Release("half")
	c.awaitStatus(isReady)
	c.wantSame(c.join())
}
