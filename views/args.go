package views

import (
	"encoding/json"
	"strings"
)

const (
	// maxLaidOut, maxLines and maxParts bound what is laid out of a text, in
	// bytes, lines and elements. What follows is shown as it was sent.
	maxLaidOut = 64 << 10
	maxLines   = 2_000
	maxParts   = 4_000
	// maxShown is how many bytes of a text are shown at all.
	maxShown = 1 << 20
)

// An exactText is a text as it is shown where it has to be read exactly: its
// beginning is laid out, and the rest is as it was sent. Only what is longer
// than its bound is not all there.
type exactText struct {
	parts    []argPart // the last of them is the rest, where there is one
	lines    int       // that the beginning takes
	controls bool      // some character had to be labelled
	rest     bool
	cut      bool
}

// An argPart is a stretch of laid out text. Its kind is the class of its
// element: k for a key, v for a value, nl for an escaped line feed inside one,
// ctl for the label of a hidden character, "" for what stands between.
type argPart struct {
	kind string
	text string
}

// exactArguments lays raw arguments out by token. Nothing is decoded: strings
// keep their escapes, numbers their digits, and keys that repeat are all there,
// in the order in which they were sent. What is not JSON is shown as it is.
func exactArguments(raw string) exactText {
	l := layout{raw: raw, end: maxLaidOut}
	if json.Valid([]byte(raw)) {
		for l.at < len(raw) && !l.full() {
			l.token()
		}
	} else {
		l.asItIs()
	}
	return l.text(maxShown)
}

// exactLinesOf shows at most n bytes of any text with its line breaks and tabs.
func exactLinesOf(s string, n int) exactText {
	l := layout{raw: s, end: min(n, maxLaidOut)}
	l.asItIs()
	return l.text(n)
}

// A layout walks a text and writes its parts. Its work is in proportion to the
// length of the text.
type layout struct {
	raw    string
	at     int
	end    int // where laying out stops at the latest
	depth  int
	lines  int
	parts  []argPart
	plain  strings.Builder // the part of no kind that is being written
	object []bool          // for each open bracket, whether it is an object
	key    bool            // the next string is a key
}

// full reports whether no more is to be laid out.
func (l *layout) full() bool {
	return l.at >= l.end || l.lines >= maxLines || len(l.parts) >= maxParts
}

// text ends the layout. The text is shown up to n bytes.
func (l *layout) text(n int) exactText {
	l.flush()
	shown, cut := firstBytes(l.raw, max(n, l.at))
	t := exactText{parts: l.parts, lines: l.lines + 1, cut: cut}
	for _, p := range t.parts {
		t.controls = t.controls || p.kind == "ctl"
	}
	if sent := shown[l.at:]; sent != "" {
		rest := labelled(sent)
		t.parts, t.rest, t.controls = append(t.parts, argPart{text: rest}), true, t.controls || rest != sent
	}
	return t
}

// extent says how long the text is, of which raw was sent.
func (t exactText) extent(raw string) string {
	if t.rest || t.cut {
		return count(len(raw), "byte")
	}
	return count(t.lines, "line") + " · " + count(len(raw), "byte")
}

// labelled is a text with its line breaks and tabs, and labels for its other
// hidden characters.
func labelled(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexAny(s, "\n\t")
		if n < 0 {
			n = len(s)
		}
		b.WriteString(Plain(s[:n]))
		if n < len(s) {
			b.WriteByte(s[n])
			n++
		}
		s = s[n:]
	}
	return b.String()
}

// asItIs writes the text with its line breaks and tabs.
func (l *layout) asItIs() {
	for l.at < len(l.raw) && !l.full() {
		if c := l.raw[l.at]; c == '\n' || c == '\t' {
			l.add("", string(c))
			l.at++
			continue
		}
		cell, _ := firstBytes(l.raw[l.at:], l.end-l.at)
		if n := strings.IndexAny(cell, "\n\t"); n >= 0 {
			cell = cell[:n]
		}
		if !l.exact("", cell) {
			return
		}
	}
}

// exact writes a stretch of the text and steps over it. It reports whether that
// went as far as the stretch does, and anywhere at all.
func (l *layout) exact(kind, s string) bool {
	list, n := firstPieces(s, maxParts-len(l.parts))
	for _, p := range list {
		switch {
		case p.Hidden:
			l.add("ctl", p.Text)
		case p.Text != "":
			l.add(kind, p.Text)
		}
	}
	l.at += n
	return n > 0 && n == len(s)
}

func (l *layout) add(kind, text string) {
	if kind == "" {
		l.plain.WriteString(text)
		l.lines += strings.Count(text, "\n")
		return
	}
	l.flush()
	l.parts = append(l.parts, argPart{kind, text})
}

func (l *layout) flush() {
	if l.plain.Len() > 0 {
		l.parts = append(l.parts, argPart{text: l.plain.String()})
		l.plain.Reset()
	}
}
