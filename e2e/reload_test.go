package e2e_test

import (
	"net/http"
	"testing"
)

// A script with everything that a page can be opened in the middle of:
// reasoning, an answer of several blocks, a call that only reads, another
// step, and a failed attempt before it.
const longRun = `
text "gone"
gate failing
error overloaded code=server_is_overloaded
---
reasoning "First I think.\n\n"
gate thinking
reasoning "Then I think again."
text "One paragraph.\n\nAnother"
gate writing
text " one, **bold**.\n\n- a\n- b\n\n"
call call_1 current_time {}
usage in=10 out=20
finish tool_calls
---
gate second
text "The end"
gate ending
text " of it."
finish stop
`

// longRunGates are its gates, in the order in which they are reached.
var longRunGates = []string{"failing", "thinking", "writing", "second", "ending"}

// A tab that is reloaded at any moment, and one that joins at any moment, show
// what a tab shows that was there all the time: at that moment and at the end.
func TestReloadInMidStream(t *testing.T) {
	t.Parallel()
	c := newChat(t, longRun)
	c.start("Go")
	reloaded := c.join()
	shows := map[string]string{
		"failing": "gone", "thinking": "First I think.", "writing": "Another", "second": "One paragraph.", "ending": "The end",
	}
	var late []*page
	for _, gate := range longRunGates {
		c.model.Reached(gate)
		c.wantText("#runs", shows[gate])
		reloaded.visit(c.URL(), http.StatusOK)
		reloaded.wantText("#runs", shows[gate])
		joined := c.join()
		c.wantSame(reloaded, joined)
		late = append(late, joined)
		c.model.Release(gate)
	}
	all := append(late, reloaded, c.page)
	for _, tab := range all {
		tab.awaitStatus(isReady)
	}
	c.wantSame(append(all, c.join())...)
	if got := c.plainText(); got != "The end of it." {
		t.Errorf("got the answer %q", got)
	}
}

// The page is whole without its socket: what has come by then is in the first
// HTML, also where there is no script.
func TestPageWithoutScript(t *testing.T) {
	t.Parallel()
	c := newChat(t, longRun, noScript)
	c.start("Go")
	shows := map[string][]string{
		"failing":  {"gone"},
		"thinking": {"Failed: overloaded", "First I think."},
		"writing":  {"First I think.", "Then I think again.", "One paragraph.", "Another"},
		"second":   {"One paragraph.", "bold", "current_time", "Draft"},
		"ending":   {"One paragraph.", "The end"},
	}
	for _, gate := range longRunGates {
		c.model.Reached(gate)
		c.reloadUntil("#runs", shows[gate]...)
		c.model.Release(gate)
	}
	c.reloadUntil("#bar-meta", isReady)
	if got := c.plainText(); got != "The end of it." {
		t.Errorf("got the answer %q", got)
	}
	c.wantAbsent([]string{"gone"}, c.URL())
}

// reloadUntil reloads a page without script until the element holds the texts.
func (p *page) reloadUntil(selector string, texts ...string) {
	p.t.Helper()
	p.until("the page shows it", func() bool {
		p.visit(p.URL(), http.StatusOK)
		return containsAll(p.inner(selector), texts)
	})
}
