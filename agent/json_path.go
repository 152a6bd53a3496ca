package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A jsonPath leads to values inside a JSON text.
type jsonPath []pathStep

// A pathStep is the name of a member or the place of an element; any takes all
// of both.
type pathStep struct {
	name  string
	named bool
	place int
	any   bool
}

var pathToken = regexp.MustCompile(`^(?:\.([A-Za-z_][A-Za-z0-9_-]*)|\['([^']+)'\]|\["([^"]+)"\]|\[([0-9]{1,6})\]|(\.\*|\[\*\]))`)

// parsePath reads a path such as $.items[*].sku. The names of members that are
// no identifiers stand in brackets and quotes.
func parsePath(text string) (jsonPath, error) {
	rest, found := strings.CutPrefix(text, "$")
	if !found || rest == "" || len(text) > MaxPattern {
		return nil, errors.New("a path begins with $ and leads to a value")
	}
	var path jsonPath
	for rest != "" {
		m := pathToken.FindStringSubmatch(rest)
		if m == nil {
			return nil, errors.New("a path can't be read")
		}
		rest = rest[len(m[0]):]
		switch {
		case m[5] != "":
			path = append(path, pathStep{any: true})
		case m[4] != "":
			n, _ := strconv.Atoi(m[4]) // six digits
			path = append(path, pathStep{place: n})
		default:
			path = append(path, pathStep{name: m[1] + m[2] + m[3], named: true})
		}
	}
	return path, nil
}

// A spot is what a path leads to: the bytes of a value. One that is empty is
// the place in an object that has no member of the last name; lead goes before
// what is written there.
type spot struct {
	start, end int
	lead       string
}

// find returns what the path leads to in a JSON text that is valid, in order.
// Names are also found in other letters where loose is set: a tool may take
// them so. Of a name that comes twice, both are.
func (p jsonPath) find(text string, loose bool) []spot {
	found, _ := p.search(text, loose)
	return found
}

// search is find, and also returns the places where the path ends too early,
// because an object has no member of its last name.
func (p jsonPath) search(text string, loose bool) (found, lacking []spot) {
	f := finder{text: text, loose: loose}
	f.value(p, true)
	return f.spots, f.lacking
}

// put writes a value in the place of what is at the spots, and leaves every
// other byte as it is.
func (p jsonPath) put(text string, spots []spot, value string) string {
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	from := 0
	for _, s := range spots {
		if s.start < from {
			continue // inside of one that was replaced
		}
		b.WriteString(text[from:s.start] + s.lead + value)
		from = s.end
	}
	return b.String() + text[from:]
}

type finder struct {
	text    string
	at      int
	loose   bool
	spots   []spot
	lacking []spot
}

func (f *finder) space() {
	for f.at < len(f.text) && strings.IndexByte(" \t\r\n", f.text[f.at]) >= 0 {
		f.at++
	}
}

// value passes over the next value; if on, the path leads through it.
func (f *finder) value(path jsonPath, on bool) {
	f.space()
	start := f.at
	switch f.text[f.at] {
	case '{':
		f.object(path, on && len(path) > 0)
	case '[':
		f.array(path, on && len(path) > 0)
	case '"':
		f.str()
	default:
		for f.at < len(f.text) && strings.IndexByte(",]} \t\r\n", f.text[f.at]) < 0 {
			f.at++
		}
	}
	if on && len(path) == 0 {
		f.spots = append(f.spots, spot{start: start, end: f.at})
	}
}

func (f *finder) object(path jsonPath, on bool) {
	f.at++
	found, lead := false, ""
	for f.space(); f.text[f.at] != '}'; f.space() {
		if f.text[f.at] == ',' {
			f.at++
			f.space()
		}
		key := f.str()
		f.space()
		f.at++ // the colon
		lead = ","
		leads := on && (path[0].any || path[0].named && (path[0].name == key || f.loose && strings.EqualFold(path[0].name, key)))
		found = found || leads
		f.value(rest(path, leads), leads)
	}
	if on && !found && len(path) == 1 && path[0].named {
		key, _ := json.Marshal(path[0].name) // a string always can be
		f.lacking = append(f.lacking, spot{start: f.at, end: f.at, lead: lead + string(key) + ":"})
	}
	f.at++
}

func (f *finder) array(path jsonPath, on bool) {
	f.at++
	for n := 0; ; n++ {
		f.space()
		if f.text[f.at] == ']' {
			break
		}
		if f.text[f.at] == ',' {
			f.at++
		}
		leads := on && (path[0].any || !path[0].named && path[0].place == n)
		f.value(rest(path, leads), leads)
	}
	f.at++
}

func rest(path jsonPath, leads bool) jsonPath {
	if !leads {
		return nil
	}
	return path[1:]
}

// str passes over a string and returns it.
func (f *finder) str() (text string) {
	start := f.at
	for f.at++; f.text[f.at] != '"'; f.at++ {
		if f.text[f.at] == '\\' {
			f.at++
		}
	}
	f.at++
	_ = json.Unmarshal([]byte(f.text[start:f.at]), &text) // it is valid
	return text
}

// plain is a value as a rule reads it: a string without its quotes, anything
// else as it is written.
func plain(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && strings.HasPrefix(value, `"`) {
		return text
	}
	return value
}
