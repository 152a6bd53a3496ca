package views

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns running text as HTML can carry it. It works on characters
// alone, so a text that is cut anywhere between characters gives the same as
// the whole:
//
//   - NUL and the other C0 controls become their symbols, such as ␀; tab and
//     line feed stay, and carriage returns are dropped;
//   - DEL becomes ␡, and the C1 controls and bytes that are not UTF-8 become
//     the replacement character.
func Printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return printable(r) != r || r == utf8.RuneError }) < 0 {
		return s
	}
	return strings.Map(printable, s)
}

func printable(r rune) rune {
	switch {
	case r == '\t', r == '\n':
		return r
	case r == '\r':
		return -1
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	case r >= 0x80 && r < 0xa0:
		return utf8.RuneError
	}
	return r
}

// A Piece is a stretch of text for the component Exact.
type Piece struct {
	Text string
	// Hidden says that Text is the label of a character that would not be
	// seen, such as U+202E.
	Hidden bool
}

// Pieces splits text so that every character in it can be seen. Controls, line
// breaks, directional marks, zero-width and other invisible characters become
// labels. Joiners stay where writing needs them: inside an emoji, and between
// letters that are not ASCII.
func Pieces(s string) []Piece {
	if !hasHidden(s) {
		return []Piece{{Text: s}}
	}
	var list []Piece
	start, before := 0, rune(0)
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if hidden(before, r, after) || (r == utf8.RuneError && size == 1) {
			if i > start {
				list = append(list, Piece{Text: s[start:i]})
			}
			list = append(list, Piece{Text: label(r, s[i], size), Hidden: true})
			start = i + size
		}
		before = r
	}
	if start < len(s) {
		list = append(list, Piece{Text: s[start:]})
	}
	return list
}

// Plain is text with its hidden characters labelled, for places that can hold
// no elements: titles and attributes.
func Plain(s string) string {
	if !hasHidden(s) {
		return s
	}
	var b strings.Builder
	for _, p := range Pieces(s) {
		if p.Hidden {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// hasHidden reports whether Pieces would label anything.
func hasHidden(s string) bool {
	before := rune(0)
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			if _, size = utf8.DecodeRuneInString(s[i:]); size == 1 {
				return true
			}
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if hidden(before, r, after) {
			return true
		}
		before = r
	}
	return false
}

func label(r rune, first byte, size int) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte %02X", first)
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	}
	return fmt.Sprintf("U+%04X", r)
}

// hidden reports whether r can't be seen between its neighbours.
func hidden(before, r, after rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < 0xa0:
		return false
	case r == 0x200c || r == 0x200d: // joiners
		return !joins(before) || !joins(after)
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors
		return !joins(before) && !strings.ContainsRune("0123456789#*", before)
	case r >= 0xe0100 && r <= 0xe01ef:
		return true
	case r == 0xa0:
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, blank)
}

// joins reports whether a joiner or a variation selector beside r is a part of
// ordinary writing.
func joins(r rune) bool {
	return r >= 0x80 && (unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk, unicode.Sm, unicode.Po) || r == 0x2764)
}

// blank are characters that look like nothing although they count as letters,
// marks or symbols.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // Braille blank
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
}
