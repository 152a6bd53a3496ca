package agent

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A reader follows a conversation as a socket does: it drops what overlaps and
// asks for the draft when it has lost something.
type reader struct {
	t   *testing.T
	sub *Subscription
	// text is what it has of each channel of the newest attempt.
	attempt AttemptID
	text    map[Channel]string
}

func follow(t *testing.T, h *hub) *reader {
	sub, draft := h.subscribe("c")
	t.Cleanup(sub.Close)
	r := &reader{t: t, sub: sub}
	r.restart(draft)
	return r
}

func (r *reader) restart(d Draft) {
	r.attempt, r.text = d.Attempt, map[Channel]string{ChannelAnswer: d.Answer, ChannelReasoning: d.Reasoning}
}

func (r *reader) take() {
	u := r.sub.Take()
	if u.Lost {
		r.restart(r.sub.hub.draft("c"))
	}
	for _, d := range u.Deltas {
		if d.Attempt != r.attempt {
			r.restart(Draft{Attempt: d.Attempt})
		}
		have := r.text[d.Channel]
		switch {
		case d.End() <= len(have):
		case d.Start > len(have):
			r.t.Errorf("%s %s: a gap from %d to %d", d.Attempt, d.Channel, len(have), d.Start)
		default:
			r.text[d.Channel] = have + d.Text[len(have)-d.Start:]
		}
	}
}

func TestHub_MergesAdjacentText(t *testing.T) {
	t.Parallel()
	h := newHub()
	sub, _ := h.subscribe("c")
	defer sub.Close()
	h.begin("c", "r", "a")
	for _, piece := range []struct {
		channel Channel
		segment int
		text    string
	}{
		{ChannelReasoning, 0, "R1"}, {ChannelReasoning, 0, "R2"}, {ChannelAnswer, 1, "ä"}, {ChannelAnswer, 1, "b"},
		{ChannelReasoning, 2, "R3"}, {ChannelReasoning, 4, "R4"}, {ChannelAnswer, 5, "c"},
	} {
		h.append("c", Delta{Attempt: "a", Channel: piece.channel, Segment: piece.segment, Text: piece.text})
	}
	h.append("c", Delta{Attempt: "other", Channel: ChannelAnswer, Text: "of an attempt that is over"})
	h.append("other", Delta{Attempt: "a", Channel: ChannelAnswer, Text: "of another conversation"})
	want := []Delta{
		{"a", ChannelReasoning, 0, 0, "R1R2"}, {"a", ChannelAnswer, 1, 0, "äb"},
		{"a", ChannelReasoning, 2, 4, "R3"}, {"a", ChannelReasoning, 4, 6, "R4"}, {"a", ChannelAnswer, 5, 3, "c"},
	}
	if diff := cmp.Diff(want, sub.Take().Deltas); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(Update{}, sub.Take()); diff != "" {
		t.Errorf("taken twice: %s", diff)
	}
	h.append("c", Delta{Attempt: "a", Channel: ChannelAnswer, Segment: 5, Text: "d"})
	if diff := cmp.Diff([]Delta{{"a", ChannelAnswer, 5, 4, "d"}}, sub.Take().Deltas); diff != "" {
		t.Errorf("offsets go on: %s", diff)
	}
	want0 := Draft{Run: "r", Attempt: "a", Answer: "äbcd", Reasoning: "R1R2R3R4"}
	if diff := cmp.Diff(want0, h.draft("c")); diff != "" {
		t.Error(diff)
	}
}

func TestHub_BoundsAreCutAtCharacters(t *testing.T) {
	t.Parallel()
	for channel, bound := range map[Channel]int{ChannelAnswer: MaxAnswerDisplay, ChannelReasoning: MaxReasoningDisplay} {
		h := newHub()
		r := follow(t, h)
		h.begin("c", "r", "a")
		const piece = "äöü€ " // 10 bytes, so that no bound falls between pieces
		fits := true
		for i := range bound/len(piece) + 2 {
			fits = h.append("c", Delta{Attempt: "a", Channel: channel, Text: piece})
			if i%500 == 0 {
				r.take()
			}
		}
		r.take()
		if fits {
			t.Errorf("%s: text over the bound was said to fit", channel)
		}
		d := h.draft("c")
		kept := d.Answer + d.Reasoning
		if len(kept) > bound || len(kept) < bound-utf8.UTFMax || !utf8.ValidString(kept) {
			t.Errorf("%s: kept %d bytes of %d, valid %v", channel, len(kept), bound, utf8.ValidString(kept))
		}
		if h.append("c", Delta{Attempt: "a", Channel: channel, Text: "x"}) || h.draft("c") != d {
			t.Errorf("%s: a short piece came behind one that was left out", channel)
		}
		if r.text[channel] != kept {
			t.Errorf("%s: a follower has %d bytes, the draft %d", channel, len(r.text[channel]), len(kept))
		}
		if !h.append("c", Delta{Attempt: "a", Channel: other(channel), Text: "x"}) {
			t.Errorf("%s: the other channel is full as well", channel)
		}
	}
}

func other(c Channel) Channel {
	if c == ChannelAnswer {
		return ChannelReasoning
	}
	return ChannelAnswer
}

func TestHub_SlowFollowerAsksAnew(t *testing.T) {
	t.Parallel()
	h := newHub()
	r := follow(t, h)
	h.begin("c", "r", "a1")
	piece := strings.Repeat("x", 1000)
	for range maxBehind/len(piece) - 10 {
		h.append("c", Delta{Attempt: "a1", Channel: ChannelAnswer, Text: piece})
	}
	h.end("c", "a1")
	h.begin("c", "r", "a2")
	for range 20 {
		h.append("c", Delta{Attempt: "a2", Channel: ChannelAnswer, Text: piece})
	}
	if len(r.sub.behind) > 0 {
		t.Error("what was lost is still held")
	}
	r.take()
	if want := h.draft("c").Answer; r.attempt != "a2" || r.text[ChannelAnswer] != want {
		t.Errorf("a slow follower has %d bytes of %s, want %d of a2", len(r.text[ChannelAnswer]), r.attempt, len(want))
	}
	h.append("c", Delta{Attempt: "a2", Channel: ChannelAnswer, Text: "more"})
	if u := r.sub.Take(); u.Lost || len(u.Deltas) != 1 {
		t.Errorf("after that it is behind again: %+v", u)
	}
}

func TestHub_FactsAndActivity(t *testing.T) {
	t.Parallel()
	h := newHub()
	h.committed("c", 7) // nobody follows
	sub, _ := h.subscribe("c")
	defer sub.Close()
	h.committed("c", 9)
	h.committed("c", 8) // a slower goroutine
	<-sub.Wake()
	if u := sub.Take(); u.Seq != 9 {
		t.Errorf("newest record is %d, want 9", u.Seq)
	}
	h.begin("c", "r", "a")
	h.activity("c", Activity{Attempt: "a", Elapsed: 5e9})
	h.activity("c", Activity{Attempt: "b", Elapsed: 6e9})
	u := sub.Take()
	if diff := cmp.Diff(&Activity{Attempt: "a", Elapsed: 5e9}, u.Activity); diff != "" || u.Seq != 9 {
		t.Errorf("newest record %d, activity %s", u.Seq, diff)
	}
	if d := h.draft("c"); d.Elapsed != 5e9 {
		t.Errorf("the draft is %v old", d.Elapsed)
	}
}

func TestHub_ForgetsRooms(t *testing.T) {
	t.Parallel()
	h := newHub()
	first, _ := h.subscribe("c")
	second, _ := h.subscribe("c")
	h.begin("c", "r", "a")
	h.append("c", Delta{Attempt: "a", Channel: ChannelAnswer, Text: "x"})
	first.Close()
	h.end("c", "b") // of an attempt that is not the open one
	if h.draft("c").Attempt != "a" {
		t.Error("another attempt closed the draft")
	}
	second.Close()
	second.Close()
	h.end("c", "a")
	h.begin("d", "r", "a")
	h.end("d", "a")
	if len(h.rooms) > 0 {
		t.Errorf("%d rooms are left", len(h.rooms))
	}
	if _, draft := h.subscribe("c"); draft != (Draft{}) {
		t.Errorf("an old draft is back: %+v", draft)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -5, ""}, {"", -1, ""},
		{"aä", 2, "a"}, {"aä", 3, "aä"}, {"€", 1, ""}, {"€", 2, ""}, {"\xff\xfe\xfd", 2, "\xff\xfe"},
	} {
		if got := Cut(c.s, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

// Whoever subscribes at any moment, and however slowly it reads, ends with the
// text of the attempt.
func TestHub_SubscriptionAndDraftAgree(t *testing.T) {
	t.Parallel()
	h := newHub()
	h.begin("c", "r", "a")
	done := make(chan struct{})
	go func() {
		defer close(done)
		piece := strings.Repeat("wörd ", 40)
		for i := range 2500 {
			h.append("c", Delta{Attempt: "a", Channel: []Channel{ChannelAnswer, ChannelReasoning}[i/7%2], Text: piece})
		}
	}()
	results := make(chan *reader)
	for n := range 8 {
		go func() {
			var sub *Subscription
			for range n * 10 { // start later
				h.draft("c")
			}
			sub, draft := h.subscribe("c")
			r := &reader{t: t, sub: sub}
			r.restart(draft)
			for open := true; open; {
				select {
				case <-sub.Wake():
				case <-done:
					open = false
				}
				if !open || n%2 == 0 { // the others take all at the end
					r.take()
				}
			}
			r.take()
			results <- r
		}()
	}
	for range 8 {
		r := <-results
		want := h.draft("c")
		if r.text[ChannelAnswer] != want.Answer || r.text[ChannelReasoning] != want.Reasoning {
			t.Errorf("a follower has %d and %d bytes, want %d and %d",
				len(r.text[ChannelAnswer]), len(r.text[ChannelReasoning]), len(want.Answer), len(want.Reasoning))
		}
		r.sub.Close()
	}
}
