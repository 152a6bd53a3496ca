package views

import "strings"

// What costs a parser more than its length is rare in what people read, so a
// stretch that has too much of it is shown as plain text. Code counts like
// everything else, because what is code is for the parser to say.
const (
	// maxMarkers is how many marks of quotes and lists may begin a line.
	maxMarkers = 64
	// maxRuns is how many runs of characters that open or close something may
	// be in a stretch.
	maxRuns = 800
	// maxCells is how many cells a stretch may have if all of it is one table:
	// rows that are short are filled up.
	maxCells = 4_000
)

// costly reports whether a stretch costs too much to be parsed.
func costly(part string) bool {
	runs, lines, columns := 0, 0, 0
	for line := range strings.Lines(part) {
		lines++
		columns = max(columns, strings.Count(line, "|")+1)
		runs += delimiterRuns(line)
		if runs > maxRuns || markers(line) > maxMarkers {
			return true
		}
	}
	return columns > 2 && lines*columns > maxCells
}

// markers counts the marks of quotes and lists that a line begins with.
func markers(line string) int {
	n := 0
	for i := range len(line) {
		next := i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t')
		switch c := line[i]; {
		case c == '>', next && strings.IndexByte("-*+.)", c) >= 0:
			n++
		case strings.IndexByte(" \t-*+.)0123456789", c) < 0:
			return n
		}
	}
	return n
}

// delimiterRuns counts the runs of one character that may open or close an
// emphasis, a link, code or HTML.
func delimiterRuns(line string) int {
	n := 0
	for i := range len(line) {
		c := line[i]
		if strings.IndexByte("*_~`[]<", c) >= 0 && (i == 0 || line[i-1] != c || c == '[' || c == ']' || c == '<') {
			n++
		}
	}
	return n
}
