package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// zoomed is a window of 1280 × 800 at 200 per cent.
var zoomed look = func(o *playwright.BrowserNewContextOptions) {
	o.Viewport = &playwright.Size{Width: 640, Height: 400}
}

// sideways names the elements that can be scrolled sideways or stick out of
// the window, though they are no boxes of code, tables or one-line fields.
const sideways = `() => {
	const may = 'pre, pre *, table, table *, input, textarea, select, select *, .sr, .sr *, [popover]:not(:popover-open), svg, svg *';
	const found = [];
	for (const e of document.body.querySelectorAll('*')) {
		if (e.matches(may) || !e.checkVisibility({visibilityProperty: true})) continue;
		const style = getComputedStyle(e), box = e.getBoundingClientRect();
		const scrolls = ['auto', 'scroll'].includes(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && !e.querySelector(':scope > table');
		const out = box.width > 1 && box.height > 1 && (box.left < -1 || box.right > innerWidth + 1) && !e.closest('.skip, pre, .table-wrap, table');
		if (scrolls || out) found.push(e.localName + '.' + e.className + (e.id ? '#' + e.id : '') + (out ? ' sticks out' : ' scrolls'));
	}
	return found.join('\n');
}`

// wantNoSideways requires that nothing needs to be scrolled sideways to be
// read.
func (p *page) wantNoSideways(name string) {
	p.t.Helper()
	if p.overflows() {
		p.t.Errorf("%s: the page is wider than its window", name)
	}
	found, err := p.Evaluate(sideways)
	p.must(err)
	if found != "" {
		p.t.Errorf("%s:\n%s", name, fmt.Sprint(found))
		screenshot(p.t, p.Page, name)
	}
}

// Every page and state can be read in a window of 320 pixels, which is also
// 1280 pixels at 400 per cent, and in one of 640 by 400.
func TestNarrowWindows(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]look{"320 pixels": narrow, "zoomed": zoomed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			p := newPage(t, s.url, size)
			doors(s, p, p.wantNoSideways)
			c := newChat(t, tourScript, size)
			c.tour(c.wantNoSideways)
		})
	}
}

// In a narrow window the sidebar and the details are popovers.
func TestNarrowPopovers(t *testing.T) {
	t.Parallel()
	c := newChat(t, "text \"Hello.\"\nfinish stop", narrow)
	c.start("Greet me")
	c.awaitStatus(isReady)
	conversation := strings.TrimPrefix(c.URL(), c.server.url)

	sidebar, details := c.Locator("#sidebar"), c.Locator("#details")
	c.must(expect.Locator(sidebar).ToBeHidden())
	c.press("Menu")
	c.must(expect.Locator(sidebar).ToBeVisible())
	c.wantNoSideways("sidebar")
	c.wantAccessible()
	c.must(c.Keyboard().Press("Escape"))
	c.must(expect.Locator(sidebar).ToBeHidden())
	c.press("Menu")
	c.press("Close the sidebar")
	c.must(expect.Locator(sidebar).ToBeHidden())

	c.press("Details")
	c.must(expect.Locator(details).ToBeVisible())
	c.wantText("#details", "This conversation", "scripted-1", "Scripted")
	c.wantNoSideways("details")
	c.wantAccessible()
	c.press("Close details")
	c.must(expect.Locator(details).ToBeHidden())

	c.press("Menu")
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "New conversation"}).Click())
	c.must(expect.Page(c).ToHaveURL("/"))
	c.press("Menu")
	c.must(c.Locator("#conversations a").Click())
	c.must(expect.Page(c).ToHaveURL(conversation))
	c.must(expect.Locator(sidebar).ToBeHidden())

	c.openAccount()
	c.must(c.GetByText("Dark", playwright.PageGetByTextOptions{Exact: playwright.Bool(true)}).Click())
	c.must(expect.Locator(c.Locator("html")).ToHaveAttribute("data-theme", "dark"))
	c.visit("/settings/providers", http.StatusOK)
	c.must(expect.Locator(c.Locator("html")).ToHaveAttribute("data-theme", "dark"))
}
