package views

import (
	"runtime"
	"strings"
	"testing"

	"countersign/agent"
)

// longTexts are texts that would be far longer laid out than they are.
var longTexts = map[string]string{
	"empty lists":      `{"title":[` + strings.Repeat("[],", 20_000) + `[]]}`,
	"numbers":          "[" + strings.Repeat("1,", 100_000) + "1]",
	"nesting":          strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000),
	"objects":          "[" + strings.Repeat(`{"a":{"b":1}},`, 15_000) + "1]",
	"line feeds":       `["` + strings.Repeat(`\n`, 100_000) + `"]`,
	"one string":       `["` + strings.Repeat("word ", 50_000) + `"]`,
	"hidden in JSON":   `["` + strings.Repeat("\u202e", 80_000) + `"]`,
	"hidden elsewhere": strings.Repeat("\x00", 200_000),
	"lines":            strings.Repeat("a\n", 100_000),
	"tabs":             strings.Repeat("a\t", 100_000),
	"spaces":           "[" + strings.Repeat(" ", 200_000) + "1]",
}

// A long text is laid out up to the bounds, and all of it is there.
func TestLongArgumentsAreBoundedAndWhole(t *testing.T) {
	t.Parallel()
	unspaced := strings.NewReplacer(" ", "", "\n", "", "\t", "")
	for name, raw := range longTexts {
		text := exactArguments(raw)
		if text.cut {
			t.Errorf("%s is cut", name)
		}
		if n := len(text.parts); n > maxParts+2 {
			t.Errorf("%s has %d parts, want at most %d", name, n, maxParts+2)
		}
		if text.lines > maxLines+1 {
			t.Errorf("%s has %d lines laid out, want at most %d", name, text.lines, maxLines+1)
		}
		var shown strings.Builder
		for _, p := range text.parts {
			shown.WriteString(p.text)
		}
		want := unspaced.Replace(strings.NewReplacer("\u202e", "U+202E", "\x00", "U+0000").Replace(raw))
		got := unspaced.Replace(strings.NewReplacer("[U+", "U+", "E]", "E", "0000]", "0000").Replace(shown.String()))
		if got != strings.NewReplacer("E]", "E", "0000]", "0000").Replace(want) {
			t.Errorf("%s: what is shown is not what was sent", name)
		}
		if hidden := strings.HasPrefix(name, "hidden"); text.controls != hidden {
			t.Errorf("%s: hidden characters %v, want %v", name, text.controls, hidden)
		}
	}
}

// The work is in proportion to the length. What is copied again and again would
// show in the bytes that are allocated: it was gigabytes.
func TestLayingOutIsLinear(t *testing.T) {
	for name, raw := range longTexts {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		exactArguments(raw)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 500*uint64(len(raw)) {
			t.Errorf("%s: %d bytes allocated for %d", name, n, len(raw))
		}
	}
}

func TestArgumentsBeyondAllBoundsSaySo(t *testing.T) {
	t.Parallel()
	html := func(raw string) string {
		var b strings.Builder
		if err := Args(ArgsProps{ID: "a", Label: "Exact arguments", Raw: raw}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := html(`["` + strings.Repeat("a", 2<<20) + `"]`); !strings.Contains(got, "These arguments are too long to be shown whole. The page shows the first 1 MiB of 2 MiB.") {
		t.Error("the card does not say that the arguments are cut")
	}
	if got := html(`["` + strings.Repeat("é", maxShown) + `"]`); strings.Contains(got, "\ufffd") {
		t.Error("a character was cut")
	}
	got := html(longTexts["numbers"])
	if !strings.Contains(got, "What follows it is shown as it was sent, to the end.") || strings.Contains(got, "too long") {
		t.Error("the card does not say where the layout ends")
	}
	if got := html(`{"a":1}`); strings.Contains(got, "shown") || !strings.Contains(got, "3 lines · 7 bytes") {
		t.Errorf("got %s", got)
	}
}

func BenchmarkArguments(b *testing.B) {
	for name, raw := range longTexts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				exactArguments(raw)
			}
		})
	}
}

func TestLongTextsAreCutAndSaySo(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	long := strings.Repeat("word é\n", 4*mib/8)
	m := maker{say: func(s string) string { return s }, now: sampleNow}
	render := func(run *agent.RunItem, item agent.Item) string {
		var b strings.Builder
		if item != nil {
			run.Items = []agent.Item{item}
		}
		if err := Run(m.scene(), run).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	answered, refused := m.attempt(), m.attempt()
	answered.State, answered.Text = agent.AttemptFinal, long
	refused.State, refused.Refusal = agent.AttemptFinal, long
	call := m.callDone()
	call.Result = long
	for name, c := range map[string]struct {
		html  string
		bound int // bytes of the page
		want  []string
	}{
		"answer":    {render(m.run(agent.StatusSucceeded), answered), 8 * agent.MaxAnswerDisplay, []string{"The page shows the first 256 KiB of 4 MiB. ", `href="` + AnswerURL("c_sample", answered.Attempt) + `"`}},
		"refusal":   {render(m.run(agent.StatusSucceeded), refused), 8 * agent.MaxAnswerDisplay, []string{"The page shows the first 256 KiB of 4 MiB. ", `href="` + AnswerURL("c_sample", refused.Attempt) + `"`}},
		"result":    {render(m.run(agent.StatusSucceeded), inRow(call)), 10 * maxResultShown, []string{"The page shows the first 4 KiB of 4 MiB.", `href="` + ResultURL("c_sample", call.Call) + `"`}},
		"reasoning": {render(m.run(agent.StatusSucceeded), &agent.ReasoningItem{Attempt: "a", Text: long}), 4 * agent.MaxReasoningDisplay, []string{"The page shows the first 64 KiB of 4 MiB."}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.html, want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		if len(c.html) > c.bound || strings.Contains(c.html, "\ufffd") {
			t.Errorf("%s: the page has %d bytes, want at most %d and no broken character", name, len(c.html), c.bound)
		}
	}
	answered.Text = strings.Repeat("a", agent.MaxAnswerDisplay)
	if got := render(m.run(agent.StatusSucceeded), answered); strings.Contains(got, "The page shows") {
		t.Error("an answer that fits is said to be cut")
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 256 << 10: "256 KiB", 30 << 20: "30 MiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
