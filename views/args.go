package views

import (
	"encoding/json"
	"strings"
)

// An argPart is a stretch of shown arguments. Its kind is the class of its
// element: k for a key, v for a value, nl for an escaped line feed inside one,
// ctl for the label of a hidden character, "" for what stands between.
type argPart struct {
	kind string
	text string
}

const maxIndent = 32 // levels; deeper ones are not indented further

// argParts lays raw arguments out by token. Nothing is decoded: strings keep
// their escapes, numbers their digits, and keys that repeat are all there, in
// the order in which they were sent. What is not JSON is shown as it is.
func argParts(raw string) []argPart {
	if !json.Valid([]byte(raw)) {
		return lineParts(raw)
	}
	l := layout{raw: raw}
	for l.at < len(raw) {
		l.token()
	}
	return l.parts
}

// lineParts shows any text with its line breaks and tabs.
func lineParts(s string) []argPart {
	var parts []argPart
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			parts = append(parts, argPart{text: "\n"})
		}
		for j, cell := range strings.Split(line, "\t") {
			if j > 0 {
				parts = append(parts, argPart{text: "\t"})
			}
			parts = appendPieces(parts, "", cell)
		}
	}
	return parts
}

// lineCount counts the lines that parts take.
func lineCount(parts []argPart) int {
	n := 1
	for _, p := range parts {
		if p.kind == "" {
			n += strings.Count(p.text, "\n")
		}
	}
	return n
}

// hasControls reports whether any character had to be labelled.
func hasControls(parts []argPart) bool {
	for _, p := range parts {
		if p.kind == "ctl" {
			return true
		}
	}
	return false
}

// A layout walks valid JSON and writes its parts.
type layout struct {
	raw    string
	at     int
	depth  int
	parts  []argPart
	object []bool // for each open bracket, whether it is an object
	key    bool   // the next string is a key
}

func (l *layout) token() {
	switch c := l.raw[l.at]; c {
	case ' ', '\t', '\r', '\n':
		l.at++
	case '{', '[':
		l.open(c)
	case '}', ']':
		l.at++
		l.depth--
		l.object = l.object[:len(l.object)-1]
		l.feed()
		l.add("", string(c))
	case ',':
		l.at++
		l.add("", ",")
		l.feed()
		l.key = l.object[len(l.object)-1]
	case ':':
		l.at++
		l.add("", ": ")
		l.key = false
	case '"':
		l.str()
	default:
		end := l.at + 1
		for end < len(l.raw) && !strings.ContainsRune(" \t\r\n,]}", rune(l.raw[end])) {
			end++
		}
		l.add("v", l.raw[l.at:end])
		l.at = end
	}
}

// open begins an object or a list; an empty one stays on its line.
func (l *layout) open(c byte) {
	rest := strings.TrimLeft(l.raw[l.at+1:], " \t\r\n")
	if rest[0] == '}' || rest[0] == ']' {
		l.add("", string(c)+rest[:1])
		l.at = len(l.raw) - len(rest) + 1
		return
	}
	l.at++
	l.depth++
	l.object = append(l.object, c == '{')
	l.key = c == '{'
	l.add("", string(c))
	l.feed()
}

func (l *layout) str() {
	end := l.at + 1
	for l.raw[end] != '"' {
		if l.raw[end] == '\\' {
			end++
		}
		end++
	}
	end++
	kind := "v"
	if l.key {
		kind = "k"
	}
	for i, line := range splitFeeds(l.raw[l.at:end]) {
		if i > 0 {
			l.add("nl", `\n`)
		}
		l.parts = appendPieces(l.parts, kind, line)
	}
	l.at = end
}

func (l *layout) add(kind, text string) {
	if n := len(l.parts); n > 0 && l.parts[n-1].kind == kind && kind == "" {
		l.parts[n-1].text += text
		return
	}
	l.parts = append(l.parts, argPart{kind, text})
}

func (l *layout) feed() { l.add("", "\n"+strings.Repeat("  ", min(l.depth, maxIndent))) }

// splitFeeds splits the inside of a JSON string at the escapes that mean a
// line feed. An escaped backslash before an n is not one.
func splitFeeds(s string) []string {
	var lines []string
	start := 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] == 'n' {
			lines = append(lines, s[start:i])
			start = i + 2
		}
		i++
	}
	return append(lines, s[start:])
}

func appendPieces(parts []argPart, kind, s string) []argPart {
	for _, p := range Pieces(s) {
		switch {
		case p.Hidden:
			parts = append(parts, argPart{"ctl", p.Text})
		case p.Text != "":
			parts = append(parts, argPart{kind, p.Text})
		}
	}
	return parts
}
