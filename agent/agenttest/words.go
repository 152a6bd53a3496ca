package agenttest

import (
	"fmt"
	"strconv"
	"strings"
)

// split cuts a line into words. A word that starts with a quote is a Go
// string.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' && line[0] != '`' {
			var word string
			word, line, _ = strings.Cut(line, " ")
			words = append(words, word)
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("%s is not quoted as in Go", line)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("%s is not quoted as in Go", line)
		}
		words, line = append(words, word), line[len(quoted):]
	}
	return words, nil
}

// shift takes the first word off a list, or returns "".
func shift(words *[]string) string {
	if len(*words) == 0 {
		return ""
	}
	first := (*words)[0]
	*words = (*words)[1:]
	return first
}

// quote shows a text, the middle of a long one left out.
func quote(text string) string {
	const long = 300
	if len(text) <= long {
		return strconv.Quote(text)
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(strings.ToValidUTF8(text[:40], "")), len(text))
}
