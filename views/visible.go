package views

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"countersign/agent"
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
	list, _ := firstPieces(s, len(s)+1)
	return list
}

// firstPieces returns at most n pieces, and how many bytes of the text they
// show.
func firstPieces(s string, n int) ([]Piece, int) {
	if !agent.HasHidden(s) {
		return []Piece{{Text: s}}, len(s)
	}
	var list []Piece
	start, before := 0, rune(0)
	for i, r := range s {
		if len(list) >= n {
			return list, start
		}
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if agent.Hidden(before, r, after) || (r == utf8.RuneError && size == 1) {
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
	return list, len(s)
}

// Plain is text with its hidden characters labelled, for places that can hold
// no elements: titles and attributes.
func Plain(s string) string {
	if !agent.HasHidden(s) {
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
