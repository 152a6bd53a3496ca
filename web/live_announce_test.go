package web_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/agent"
)

// Assistive technology is told where a run has come to, each time once, and
// never what the model writes.
func TestAnnouncementsAreOfStates(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, `
text "Streamed words."
gate half
`+writeNote+`finish tool_calls
---
text "More streamed words."
finish stop`, setting{})
	d.send("Note it.")
	d.up.Reached("half")
	tab := d.open()
	d.agree(tab)
	d.up.Release("half")
	d.until(agent.StatusWaitingApproval)
	d.agree(tab)
	d.decide("allow", "")
	d.until(agent.StatusSucceeded)
	d.agree(tab)
	at := 0
	for _, want := range []string{"Waiting for your countersignature", "The answer is complete."} {
		i := slices.IndexFunc(tab.Announced[at:], func(s string) bool { return strings.HasPrefix(s, want) })
		if i < 0 {
			t.Fatalf("%q was not announced, or too early: %q", want, tab.Announced)
		}
		at += i + 1
	}
	if len(slices.Compact(slices.Clone(tab.Announced))) != len(tab.Announced) {
		t.Errorf("something was announced twice: %q", tab.Announced)
	}
	if strings.Contains(strings.Join(tab.Announced, " "), "treamed") {
		t.Errorf("streamed text was announced: %q", tab.Announced)
	}
}
