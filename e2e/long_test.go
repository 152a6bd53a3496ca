package e2e_test

import (
	"fmt"
	"strings"
	"testing"
)

// measureFrames is a script that keeps in window.__frames the longest time
// between two frames, in milliseconds.
const measureFrames = `() => {
	window.__frames = 0;
	let before = performance.now();
	requestAnimationFrame(function frame(now) {
		window.__frames = Math.max(window.__frames, now - before);
		before = now;
		requestAnimationFrame(frame);
	});
}`

// stillFor is how long the page may stand still, in milliseconds. It is what a
// loaded machine with two processors needs at most, not what is aimed at.
const stillFor = 1000

// A long answer in thousands of deltas arrives whole, and the page answers to
// its reader all the while.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	const pieces = 3_000
	const paragraph = "A paragraph of some words, and then a blank line.\n\n"
	half := fmt.Sprintf("repeat %d text %q\n", pieces/2, paragraph)
	c := newChat(t, `
reasoning "It will be long."
gate start
`+half+`
gate middle
`+half+`
gate end
text "The end."
finish stop
`)
	c.start("Tell me")
	c.model.Reached("start")
	_, err := c.Evaluate(measureFrames)
	c.must(err)
	c.model.Release("start")

	// The page follows the text, until the reader goes up to read, and writes
	// ahead; what they see then stays where it is.
	c.model.Reached("middle")
	blocks := c.draft().Locator("p.block")
	c.must(expect.Locator(blocks).ToHaveCount(pieces / 2))
	c.must(expect.Locator(blocks.Last()).ToBeInViewport())
	c.must(c.Locator("#scroller").Press("Home"))
	c.must(expect.Locator(c.Locator(".slip")).ToBeInViewport())
	c.model.Release("middle")
	c.must(c.Locator("#message").Fill("And then?"))

	c.model.Reached("end")
	c.must(expect.Locator(blocks).ToHaveCount(pieces))
	c.must(expect.Locator(c.Locator("#message")).ToHaveValue("And then?"))
	c.must(expect.Locator(c.Locator(".slip")).ToBeInViewport())
	c.must(c.Locator("[data-to-latest]").Click())
	c.must(expect.Locator(blocks.Last()).ToBeInViewport())
	want := strings.Repeat(paragraph, pieces)
	if got := c.inner(`[data-channel="answer"]`); got != want {
		t.Errorf("the draft is not whole: got %d bytes, want %d", len(got), len(want))
	}
	longest, err := c.Evaluate(`() => Math.round(window.__frames)`)
	c.must(err)
	if longest.(int) > stillFor {
		t.Errorf("the page stood still for %v ms, want %d at most", longest, stillFor)
	}
	c.model.Release("end")
	c.awaitStatus(isReady)
	if got := c.plainText(); got != want+"The end." {
		t.Errorf("the answer is not whole: got %d bytes, want %d", len(got), len(want))
	}
	c.wantSame(c.join())
}
