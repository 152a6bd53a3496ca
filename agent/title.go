package agent

import (
	"strings"
	"unicode"
)

// MaxTitle is the longest title, in characters.
const MaxTitle = 80

// titleFrom makes a title of the first line of a message, without controls,
// cut between words where there are any and never inside what a reader takes
// for one character.
func titleFrom(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	title := []rune(strings.Join(strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " "))
	if len(title) <= MaxTitle {
		return string(title)
	}
	end := MaxTitle - 1 // the ellipsis is one more
	for i := end; i > MaxTitle/2; i-- {
		if title[i] == ' ' {
			return string(title[:i]) + "…"
		}
	}
	for end > 1 && splits(title, end) {
		end--
	}
	return string(title[:end]) + "…"
}

// splits reports whether a cut before text[i] would fall inside one character
// as it is seen: a letter with its accent, a family, a flag.
func splits(text []rune, i int) bool {
	const joiner = 0x200d
	switch before, r := text[i-1], text[i]; {
	case before == joiner, r == joiner, unicode.Is(unicode.M, r):
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return true
	case r >= 0xe0020 && r <= 0xe007f: // the letters of a region's flag
		return true
	case !countryLetter(r):
		return false
	}
	letters := 0
	for letters < i && countryLetter(text[i-1-letters]) {
		letters++
	}
	return letters%2 == 1
}

// countryLetter reports whether two such runes make the flag of a country.
func countryLetter(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }
