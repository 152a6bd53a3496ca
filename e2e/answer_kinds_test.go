package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// However an answer comes and ends, a tab that followed it, one that joined in
// the middle and one that is opened at the end show the same.
func TestAnswersOfEveryKind(t *testing.T) {
	t.Parallel()
	const rest = `text "And text."` + "\nusage in=1 out=2 reasoning=3\nfinish stop"
	kinds := []struct {
		name   string
		before string // what comes until a tab joins
		after  string
		status string
		shows  string // in the end
	}{
		{"reasoning after text", `text "First text."` + "\n" + `reasoning "Then a thought."`, rest, isReady, "Then a thought."},
		{"reasoning alone", `reasoning "Only a thought."`, rest, isReady, "Only a thought."},
		{"a refusal", `refusal "I will"`, `refusal " not."` + "\nfinish stop", isReady, "I will not."},
		{"a late start", "", rest, isReady, "And text."},
		{"too much reasoning", `repeat 1200 reasoning "A thought of about sixty-four bytes, again and again, and again.\n"`, rest, isReady, "Display stops here"},
		{"too much text", `repeat 4500 text "A line of about sixty-four bytes, again and again, and again ...\n"`, rest, isReady, "The page shows the first 256 KiB of"},
		{"a limit", `text "It ends"`, "finish length", isReady, "The answer was cut off"},
		{"a filter", `text "It ends"`, "finish content_filter", isReady, "content filter"},
	}
	var scripts []string
	for _, k := range kinds {
		scripts = append(scripts, fmt.Sprintf("match user %q\n%s\ngate %s\n%s\n", k.name, k.before, gateOf(k.name), k.after))
	}
	c := newChat(t, strings.Join(scripts, "---\n"))
	for _, k := range kinds {
		c.visit("/", http.StatusOK)
		c.start("Show " + k.name)
		c.model.Reached(gateOf(k.name))
		joined := c.join()
		c.model.Release(gateOf(k.name))
		c.awaitStatus(k.status)
		joined.awaitStatus(k.status)
		c.wantText("#runs", k.shows)
		opened := c.join()
		c.wantSame(joined, opened)
		c.must(joined.Close())
		c.must(opened.Close())
		if t.Failed() {
			t.Fatalf("with %s", k.name)
		}
	}
}

func gateOf(name string) string { return strings.ReplaceAll(name, " ", "-") }
