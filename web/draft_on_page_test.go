package web

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"countersign/agent"
)

// drawText makes text with all that makes cutting hard.
var drawText = rapid.StringOfN(rapid.RuneFrom([]rune("ab é😀\n\n\n\r")), 0, 200, -1)

// A shown page shows text by the deltas it gets, as views.DraftText sends
// them.
type shown struct{ text string }

func (p *shown) add(t *rapid.T, d agent.Delta) {
	if d.Start != len(p.text) {
		t.Fatalf("the page has %d bytes and is sent those from %d on", len(p.text), d.Start)
	}
	if !utf8.ValidString(d.Text) {
		t.Fatalf("the page is sent %q, cut inside a character", d.Text)
	}
	p.text += d.Text
}

// However a draft is cut into deltas, wherever they begin again, and whatever
// the page claims to have: it never gets a byte twice, never lacks one without
// a gap being told, and ends with the whole text.
func TestDraftOnPageLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := drawText.Draw(t, "text")
		boundary := func(from int, label string) int { // of a character
			n := rapid.IntRange(from, len(text)).Draw(t, label)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n++
			}
			return n
		}
		arrived := boundary(0, "arrived")
		claim := rapid.IntRange(-2, len(text)+2).Draw(t, "claim")
		have := words{Attempt: "a_1", Answer: claim}
		draft := agent.Draft{Attempt: "a_1", Answer: text[:arrived]}

		var p draftOnPage
		var page shown
		if claim >= 0 && claim <= arrived && (claim == arrived || utf8.RuneStart(text[claim])) {
			page.text = text[:claim]
		} // else the page shows what nobody knows, until it is drawn anew
		deltas := p.continued(have, draft)
		for at := arrived; at < len(text); {
			from := boundary(rapid.IntRange(0, at).Draw(t, "overlap"), "from")
			if from > at {
				from = at // a subscription leaves nothing out
			}
			to := boundary(at+1, "to")
			deltas = append(deltas, agent.Delta{Attempt: "a_1", Channel: agent.ChannelAnswer, Start: from, Text: text[from:to]})
			at = to
		}
		for _, d := range deltas {
			rest, gap := p.take(d)
			if gap {
				page.text = text[:d.End()]
				p.drawn("a_1", agent.ChannelAnswer, page.text)
			}
			if rest.Text != "" {
				page.add(t, rest)
			}
		}
		if arrived < len(text) && page.text != text {
			t.Fatalf("got %q, want %q", page.text, text)
		}
	})
}

// The deltas of another attempt reach no page.
func TestDraftOnPageTakesOneAttempt(t *testing.T) {
	t.Parallel()
	var p draftOnPage
	p.drawn("a_1", agent.ChannelAnswer, "Hel")
	for _, d := range []agent.Delta{
		{Attempt: "a_2", Channel: agent.ChannelAnswer, Start: 3, Text: "lo"},
		{Attempt: "", Channel: agent.ChannelAnswer, Start: 3, Text: "lo"},
	} {
		if rest, gap := p.take(d); rest.Text != "" || gap {
			t.Errorf("%+v: got %+v, %v", d, rest, gap)
		}
	}
	if got := p.continued(words{Attempt: "a_1", Answer: 3}, agent.Draft{Attempt: "a_2", Answer: "Hello"}); got != nil {
		t.Errorf("a page with another attempt gets %+v", got)
	}
}

// Channels do not touch each other.
func TestDraftOnPageKeepsChannelsApart(t *testing.T) {
	t.Parallel()
	var p draftOnPage
	got := p.continued(words{Attempt: "a_1", Answer: 1, Reasoning: 2},
		agent.Draft{Attempt: "a_1", Answer: "Hello", Reasoning: "Think"})
	want := []agent.Delta{
		{Attempt: "a_1", Channel: agent.ChannelReasoning, Start: 2, Text: "ink"},
		{Attempt: "a_1", Channel: agent.ChannelAnswer, Start: 1, Text: "ello"},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	for _, d := range got {
		if rest, gap := p.take(d); rest != d || gap {
			t.Errorf("got %+v, %v; want all of %+v", rest, gap, d)
		}
	}
}
