package views

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxResultShown is how many bytes a page shows of what a tool told the model,
// until all of it is asked for. Answers and reasoning have bounds of their own,
// agent.MaxAnswerDisplay and agent.MaxReasoningDisplay; a message is shown
// whole, because agent.MaxMessage bounds what is sent.
const maxResultShown = 4 << 10

// firstBytes returns at most n bytes of a text, cut between characters, and
// whether there are more.
func firstBytes(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n], true
}

// leading is the part of a text that is shown.
func leading(s string, n int) string {
	s, _ = firstBytes(s, n)
	return s
}

// boundWords say that a page shows less than there is.
func boundWords(shown, all int) string {
	return "The page shows the first " + size(shown) + " of " + size(all) + "."
}

// size is a number of bytes: 12 bytes, 256 KiB, 1.5 MiB.
func size(n int) string {
	for _, unit := range []struct {
		bytes int
		name  string
	}{{1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.bytes {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.bytes)), ".0") + " " + unit.name
		}
	}
	return count(n, "byte")
}
