package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// tabLimit is how often Tab is pressed at most to get somewhere: more than any
// page of these tests has places to be.
const tabLimit = 60

// focus describes what has the keyboard: its name, and whether it can be seen
// that it has.
const focus = `() => {
	const e = document.activeElement;
	if (!e || e === document.body) return {name: '', in: '', at: 0, seen: true};
	const labelled = e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? document.getElementById(e.getAttribute('aria-labelledby'))?.textContent;
	let seen = false;
	for (let box = e, i = 0; box && i < 3; box = box.parentElement, i++) {
		const style = getComputedStyle(box);
		seen ||= style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
	}
	const box = e.getBoundingClientRect();
	seen &&= box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight;
	const spoken = e.cloneNode(true);
	for (const hidden of spoken.querySelectorAll('[aria-hidden=true]')) hidden.remove();
	const at = [...document.querySelectorAll('*')].indexOf(e);
	return {name: (labelled ?? spoken.textContent).replace(/\s+/g, ' ').trim(), in: e.closest('[id]')?.id ?? '', at, seen};
}`

// A focused element has the keyboard.
type focused struct {
	name string // "" for the page itself
	in   string // the nearest id around it
	at   int    // its place in the document
}

// focused returns what has the keyboard and requires that this can be seen.
func (p *page) focused() focused {
	p.t.Helper()
	raw, err := p.Evaluate(focus)
	p.must(err)
	at := raw.(map[string]any)
	if at["seen"] != true {
		p.t.Errorf("%s: it can't be seen that %q in %q has the keyboard", p.URL(), at["name"], at["in"])
	}
	return focused{at["name"].(string), at["in"].(string), at["at"].(int)}
}

// keys presses them one after the other.
func (p *page) keys(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.must(p.Keyboard().Press(name))
	}
}

// tabTo presses Tab until the element of this name has the keyboard.
func (p *page) tabTo(name string) {
	p.t.Helper()
	for range tabLimit {
		p.keys("Tab")
		if p.focused().name == name {
			return
		}
	}
	p.t.Fatalf("%s: Tab does not lead to %q", p.URL(), name)
}

// wantFocus requires that the element of this name has the keyboard.
func (p *page) wantFocus(name string) {
	p.t.Helper()
	if got := p.focused(); got.name != name {
		p.t.Errorf("%s: %q has the keyboard, want %q", p.URL(), got.name, name)
	}
}

// From signing in to approving a call and sending the next message, nothing
// needs a mouse.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "I will write it down."
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "It is done."
finish stop
---
match user "Thank you"
text "You are welcome."
finish stop
`)
	p := newPage(t, c.server.url)
	p.visit("/login", http.StatusOK)
	p.tabTo("Email")
	p.must(p.Keyboard().Type(adminEmail))
	p.keys("Tab")
	p.wantFocus("Password")
	p.must(p.Keyboard().Type(adminPassword))
	p.keys("Enter")
	p.must(expect.Page(p).ToHaveURL("/"))

	p.keys("Tab")
	p.wantFocus("Skip to the message box")
	p.keys("Enter")
	p.wantFocus("Message")
	p.must(p.Keyboard().Type("Write, please"))
	p.keys("Shift+Enter")
	p.must(p.Keyboard().Type("a note"))
	p.keys("Enter")
	p.awaitStatus(isWaiting)
	p.wantText(".slip", "Write, please", "a note")

	p.tabTo("Skip to what waits for you")
	p.keys("Enter")
	p.tabTo("Add a reason (optional)")
	p.keys("Space", "Tab")
	p.wantFocus("Reason")
	p.must(p.Keyboard().Type("It is mine."))
	p.must(expect.Locator(p.callForm("Write a note")).ToBeVisible())
	p.tabTo("Approve once")
	p.keys("Enter")
	p.awaitStatus(isReady)
	p.wantText(".decided.is-signed", "Approved once", "“It is mine.”")
	card, err := p.Locator(".is-decided .card__body").GetAttribute("id")
	p.must(err)
	if got := p.focused(); got.in != card {
		t.Errorf("after the decision, %q in %q has the keyboard, want what was decided", got.name, got.in)
	}

	p.tabTo("Message")
	p.must(p.Keyboard().Type("Thank you"))
	p.keys("Enter")
	p.must(expect.Locator(p.finished().Last()).ToHaveText("You are welcome."))
	p.awaitStatus(isReady)
	p.wantFocus("Message")
}

// Tab comes by everything and back to where it began, in both directions, and
// Escape leaves what was opened.
func TestNoKeyboardTrap(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
call call_2 notes_delete {"title":"B"}
finish tool_calls
`)
	c.say("Write", isWaiting)
	conversation := strings.TrimPrefix(c.URL(), c.server.url)
	for _, address := range []string{conversation, "/", "/settings/providers", "/settings/providers/new", "/settings/agents"} {
		for _, key := range []string{"Tab", "Shift+Tab"} {
			c.visit(address, http.StatusOK)
			c.roundTrip(key)
		}
	}

	const opener = adminName + ", account menu"
	c.visit(conversation, http.StatusOK)
	c.tabTo(opener)
	c.keys("Enter")
	c.must(expect.Locator(c.Locator("#account")).ToBeVisible())
	c.keys("Tab", "Tab", "Escape")
	c.must(expect.Locator(c.Locator("#account")).ToBeHidden())
	c.wantFocus(opener)
}

// roundTrip presses a key until the keyboard is back where the first press
// took it, and requires that it never stays where it is.
func (p *page) roundTrip(key string) {
	p.t.Helper()
	p.keys(key)
	first := p.focused()
	last := first
	for range tabLimit {
		p.keys(key)
		now := p.focused()
		switch now {
		case first:
			return
		case last:
			p.t.Fatalf("%s: %s stays at %q in %q", p.URL(), key, now.name, now.in)
		}
		last = now
	}
	p.t.Errorf("%s: %s does not come back to %q", p.URL(), key, first.name)
}
