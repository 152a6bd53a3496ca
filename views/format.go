package views

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// clock is a time of day to the second, minute to the minute, in the zone of t.
// Browsers show their own zone instead; see static/js/time.js.
func clock(t time.Time) string  { return t.Format("15:04:05") }
func minute(t time.Time) string { return t.Format("15:04") }

// full is a time with its date and its zone.
func full(t time.Time) string { return t.Format("2 January 2006, 15:04:05 MST") }

// stamp is a time for machines.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// span is how long something took: under 0.1 s, 0.4 s, 9 s, 4 min 12 s, 2 h 5 min.
func span(d time.Duration) string {
	d = max(d, 0)
	switch s := int64(d / time.Second); {
	case d > 0 && d < 100*time.Millisecond:
		return "under 0.1 s"
	case d < 3*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
	}
}

// spanInSentence is the same where it follows a word such as after.
func spanInSentence(d time.Duration) string {
	return strings.Replace(span(d), "under ", "less than ", 1)
}

// seconds is a duration that is still being counted, in whole seconds.
// static/js/time.js counts in the same form.
func seconds(d time.Duration) string {
	if d = d.Truncate(time.Second); d < 3*time.Second {
		return fmt.Sprintf("%d s", max(d, 0)/time.Second)
	}
	return span(d)
}

// number writes n with separators: 3,412.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(s) - 3; i > first; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count writes a number with its noun: 1 line, 8 lines.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return number(int64(n)) + " " + noun
}

// plural chooses the words for one or for several.
func plural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// initial is the first letter or digit of a name, in upper case.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "?"
}

// shorten returns s with at most n characters. What is cut becomes an ellipsis.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
