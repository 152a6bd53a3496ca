package e2e_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/providers"
)

// callForm is the part of a waiting card that is about the call of this title.
// It is there once the card takes decisions: one that has just appeared takes
// none.
func (p *page) callForm(title string) playwright.Locator {
	return p.Locator("[data-card]:not([data-fresh]) form.card__body", playwright.PageLocatorOptions{
		Has: p.GetByRole("heading", playwright.PageGetByRoleOptions{Name: title, Exact: playwright.Bool(true)}),
	})
}

// decide presses Approve once or Deny for the call of this title.
func (p *page) decide(title, button string) {
	p.t.Helper()
	p.must(p.callForm(title).GetByRole("button", playwright.LocatorGetByRoleOptions{Name: button}).Click())
}

// giveReason types a reason, without deciding.
func (p *page) giveReason(title, reason string) {
	p.t.Helper()
	p.must(p.callForm(title).Locator(".reason > summary").Click())
	p.must(p.callForm(title).Locator(".reason textarea").Fill(reason))
}

// decided is what the record says about decided calls, oldest first.
func (p *page) decided() playwright.Locator { return p.Locator(".decided") }

// ran are the entries of calls to a tool that began.
func (p *page) ran(tool string) playwright.Locator {
	return p.Locator(".tool", playwright.PageLocatorOptions{HasText: tool})
}

// wantReload requires that the page shows the same after a reload.
func (p *page) wantReload() {
	p.t.Helper()
	before := p.another()
	before.visit(p.URL(), http.StatusOK)
	p.wantSame(before)
	p.must(before.Close())
	p.visit(p.URL(), http.StatusOK)
}

// lastResults is what the newest request told the model about its calls.
func (c *chat) lastResults() []string {
	requests := c.model.Requests()
	var results []string
	for _, m := range requests[len(requests)-1].Messages {
		if r, ok := m.(providers.ToolResult); ok {
			results = append(results, r.Text)
		}
	}
	return results
}

func TestApprove(t *testing.T) {
	t.Parallel()
	const arguments = `{ "title":"Shopping",  "text":"Milk\u0021 <b>Bread</b>" }`
	c := newChat(t, `
text "I will write it down."
call call_1 notes_write `+arguments+`
finish tool_calls
---
expect result "is written"
text "It is done."
finish stop
---
match user "What is in it?"
call call_2 notes_read {"title":"Shopping"}
finish tool_calls
---
expect result "Milk! <b>Bread</b>"
text "Milk and bread."
finish stop
`)
	c.start("Note milk and bread")
	c.awaitStatus(isWaiting)
	for range 2 { // live, and after a reload
		c.wantText(".attempt.is-provisional", "I will write it down.")
		c.wantText("[data-card]", "Waiting for your countersignature", "Write a note", "notes_write",
			`"Milk\u0021 <b>Bread</b>"`, "Signing as "+adminName)
		c.must(expect.Locator(c.Locator("[data-expiry]")).ToContainText(regexp.MustCompile(`Expires in [45] min \d+ s, at \d\d:\d\d`)))
		c.must(expect.Locator(c.Locator("[data-card] [data-copy]")).ToHaveAttribute("data-copy", arguments))
		c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(0))
		c.wantReload()
	}

	c.decide("Write a note", "Approve once")
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.Locator("[data-card]")).ToHaveCount(0))
	c.wantText(".decided.is-signed", "Approved once", "by a person", adminName)
	c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(1))
	c.must(expect.Locator(c.ran("notes_write").Locator(".tool__note")).ToHaveText("done"))
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"I will write it down.", "It is done."}))
	c.wantReload()

	c.send("What is in it?")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"I will write it down.", "It is done.", "Milk and bread."}))
	c.awaitStatus(isReady)
}

func TestDenyWithReason(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"Shopping","text":"Milk"}
finish tool_calls
---
expect result "decided against"
expect result "Not <b>today</b>: it’s Sunday."
text "Then not."
finish stop
---
match user "Which notes?"
call call_2 notes_list {}
finish tool_calls
---
expect result "There are no notes"
text "None."
finish stop
`)
	c.start("Note the milk")
	c.giveReason("Write a note", "Not <b>today</b>: it’s Sunday.")
	c.decide("Write a note", "Deny")
	c.awaitStatus(isReady)
	c.wantText(".decided.is-deny", "Denied", "by a person", "“Not <b>today</b>: it’s Sunday.”", adminName)
	c.must(expect.Locator(c.ran("notes_write")).ToHaveCount(0))
	c.wantReload()

	c.send("Which notes?")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"Then not.", "None."}))
}

// Each call of a card is decided on its own, also in two tabs, and none runs
// before all are decided. What somebody types meanwhile is kept.
func TestTwoCallsOnOneCard(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
call call_2 notes_delete {"title":"B"}
finish tool_calls
---
expect results 2
expect result "The note \"A\" is written"
expect result "The person's reason: I still need it"
text "One of two."
finish stop
`)
	c.start("Tidy up")
	c.awaitStatus(isWaiting)
	other := c.another()
	other.visit(c.URL(), http.StatusOK)

	c.giveReason("Delete a note", "I still")
	other.decide("Write a note", "Approve once")
	for _, p := range []*page{c.page, other} {
		p.wantText(".decided", "Approved once")
		p.must(expect.Locator(p.callForm("Delete a note")).ToBeVisible())
		p.awaitStatus(isWaiting)
		p.must(expect.Locator(p.ran("notes_write")).ToHaveCount(0))
	}
	reason := c.callForm("Delete a note").Locator(".reason textarea")
	c.must(expect.Locator(reason).ToHaveValue("I still"))
	c.must(expect.Locator(reason).ToBeFocused())
	if n := len(c.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times before all was decided, want once", n)
	}

	c.must(c.Keyboard().Type(" need it"))
	c.decide("Delete a note", "Deny")
	for _, p := range []*page{c.page, other} {
		p.awaitStatus(isReady)
		p.must(expect.Locator(p.ran("notes_write")).ToHaveCount(1))
		// That the reason was unfolded says nothing about the arguments.
		p.must(expect.Locator(p.Locator(".is-decided details[open]")).ToHaveCount(0))
	}
	c.wantSame(other)
	c.wantReload()
}

// A click that was on its way to something else when the card appeared does
// not sign it.
func TestEarlyClickSignsNothing(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
gate asked
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "Signed late."
finish stop
`)
	c.start("Write")
	c.model.Reached("asked")
	_, err := c.Evaluate(`() => {
		window.early = 0;
		const click = (button) => {
			window.early++;
			button.click();
			button.form.requestSubmit(button);
		};
		const watch = new MutationObserver(() => {
			const button = document.querySelector('[data-card] [value=allow]');
			if (!button) return;
			watch.disconnect();
			click(button);
			setTimeout(click, 400, button); // timers of a page keep their order
		});
		watch.observe(document.getElementById('runs'), {childList: true, subtree: true});
	}`)
	c.must(err)
	c.model.Release("asked")
	c.must(expect.Locator(c.callForm("Write a note")).ToBeVisible())
	early, err := c.Evaluate("() => window.early")
	c.must(err)
	if early != 2 {
		t.Errorf("%v early clicks, want 2", early)
	}
	c.wantReload() // the server has nothing else either
	c.decide("Write a note", "Approve once")
	c.awaitStatus(isReady)
}

// Whatever a person types while a card waits is a message, and no consent.
func TestMessageDoesNotApprove(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
match user "Write"
expect result "decided against"
text "Not written."
finish stop
---
match user "Yes, go ahead"
text "With what?"
finish stop
`)
	c.start("Write")
	c.awaitStatus(isWaiting)
	c.send("Yes, go ahead")
	c.wantText("#queue", "Sent when this run ends", "Yes, go ahead")
	c.must(expect.Locator(c.callForm("Write a note")).ToBeVisible())
	c.wantReload()
	c.wantText("#queue", "Yes, go ahead")
	if n := len(c.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
	c.decide("Write a note", "Deny")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"Not written.", "With what?"}))
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.Locator("#queue li")).ToHaveCount(0))
}
