package agent

import "strings"

// glob reports whether a text fits a pattern in which * stands for any text,
// also for none. It takes time in proportion to both.
func glob(pattern, text string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return text == pattern
	}
	text, fits := strings.CutPrefix(text, first)
	for fits {
		next, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(text, next)
		}
		// The earliest place leaves the most to what follows.
		_, text, fits = strings.Cut(text, next)
		rest = after
	}
	return false
}
