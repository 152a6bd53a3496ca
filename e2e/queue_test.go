package e2e_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"
)

// What is sent while a run is under way waits above the message box. It can be
// changed and taken back there, and starts the next run, in order.
func TestQueue(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "One."
gate first
finish stop
---
expect user "second, edited"
text "Two."
finish stop
---
expect user "Third"
text "Three."
finish stop
`)
	c.start("First")
	c.model.Reached("first")
	c.wantDraft("One.")
	other := c.join()
	c.send("Second, with a tpyo")
	c.send("Never mind")
	other.send("Third")

	texts := []string{"Second, with a tpyo", "Never mind", "Third"}
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.Locator(".queue__text")).ToHaveText(texts))
		tab.lacks("the record", tab.inner("#runs"), texts)
	}
	c.wantSame(other, c.join())

	// One person's edit leaves the other's half-typed one alone.
	other.editQueued("Third", "Third, being typed")
	c.editQueued("Second, with a tpyo", "Second, edited")
	c.must(c.Locator(".queue__item").First().GetByText("Save").Click())
	other.must(expect.Locator(other.Locator(".queue__text").First()).ToHaveText("Second, edited"))
	c.must(expect.Locator(c.Locator(".queue__item").First().GetByLabel("Message that waits")).ToBeHidden())
	other.press("Remove: Never mind")
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.Locator(".queue__text")).ToHaveText([]string{"Second, edited", "Third"}))
	}
	c.wantSame(c.join())
	half := other.Locator(".queue__item").Last()
	other.must(expect.Locator(half.GetByLabel("Message that waits")).ToHaveValue("Third, being typed"))
	other.must(half.GetByText("Save").Click())
	c.must(expect.Locator(c.Locator(".queue__text").Last()).ToHaveText("Third, being typed"))
	c.wantSame(other, c.join())

	c.model.Release("first")
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.finished()).ToHaveText([]string{"One.", "Two.", "Three."}))
		tab.awaitStatus(isReady)
		tab.must(expect.Locator(tab.Locator(".queue__item")).ToHaveCount(0))
		tab.wantAbsent([]string{"tpyo", "Never mind"}, c.URL(), "/")
	}
	c.wantSame(other, c.join())
	want := []sentMessage{
		{"user", "First"}, {"assistant", "One."}, {"user", "Second, edited"}, {"assistant", "Two."}, {"user", "Third, being typed"},
	}
	if diff := cmp.Diff(want, c.lastSent()); diff != "" {
		t.Errorf("what the model was told (-want +got):\n%s", diff)
	}
}

// What waits when the run is stopped stays, and the page says that it was not
// sent.
func TestQueueAfterStop(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "One."
gate first
finish stop
`)
	c.start("First")
	c.model.Reached("first")
	other := c.join()
	c.send("Second")
	for _, tab := range []*page{c.page, other} {
		tab.wantText("#queue", "Sent when this run ends", "Second")
	}
	c.press("Stop")
	for _, tab := range []*page{c.page, other} {
		tab.awaitStatus(isStopped)
		tab.wantText("#queue", "Not sent: the run was stopped. It goes first when you send the next message.", "Second", "Send now")
	}
	c.wantSame(other, c.join())
}

// editQueued types over a message that waits, without saving it.
func (p *page) editQueued(text, with string) {
	p.t.Helper()
	item := p.Locator(".queue__item", playwright.PageLocatorOptions{HasText: text})
	p.must(item.Locator("summary").Click())
	p.must(item.GetByLabel("Message that waits").Fill(with))
}

// A form that is posted twice is one message and one run: at the start of a
// conversation, later, and in the queue.
func TestDoubleSubmit(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "One."
finish stop
---
text "Two."
gate busy
finish stop
---
text "Three."
finish stop
`)
	twice := func(text string) []string {
		t.Helper()
		c.must(c.Locator("#message").Fill(text))
		addresses, err := c.Evaluate(postTwice)
		c.must(err)
		both := addresses.([]any)
		return []string{both[0].(string), both[1].(string)}
	}
	both := twice("First")
	if both[0] != both[1] {
		t.Fatalf("two conversations: %s and %s", both[0], both[1])
	}
	c.visit(both[0], http.StatusOK)
	c.awaitStatus(isReady)

	twice("Second")
	c.model.Reached("busy")
	c.visit(both[0], http.StatusOK)
	twice("Third")
	c.must(expect.Locator(c.Locator(".queue__text")).ToHaveText([]string{"Third"}))
	c.model.Release("busy")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"One.", "Two.", "Three."}))
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.Locator(".slip .prose")).ToHaveText([]string{"First", "Second", "Third"}))
	c.wantSame(c.join())
}

// postTwice posts the form of the message box twice at once and returns where
// that led to.
const postTwice = `() => {
	const form = document.getElementById('composer');
	const post = () => fetch(form.action, {method: 'POST', body: new URLSearchParams(new FormData(form))}).then(r => r.url);
	return Promise.all([post(), post()]);
}`

// A double click on Send, and Enter held down, send once.
func TestImpatientSend(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "One."
finish stop
---
text "Two."
finish stop
`)
	c.must(c.Locator("#message").Fill("First"))
	c.must(c.Locator("#composer button[type=submit]").Dblclick())
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"One."}))
	c.must(c.Locator("#message").Fill("Second"))
	_, err := c.Locator("#message").Evaluate(`box => {
		for (let i = 0; i < 3; i++) box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true, repeat: i > 0}));
	}`, nil)
	c.must(err)
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"One.", "Two."}))
	c.awaitStatus(isReady)
	c.must(expect.Locator(c.Locator(".slip .prose")).ToHaveText([]string{"First", "Second"}))
	c.must(expect.Locator(c.Locator("#toasts > *")).ToHaveCount(0))
}
