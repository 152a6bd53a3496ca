package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HidesText reports whether a call holds characters that can't be seen, so that
// it may read other than it is. The white space of its arguments is layout.
func (c ToolCallRequested) HidesText() bool {
	layout := func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}
	return HasHidden(c.Tool) || HasHidden(c.Title) || HasHidden(strings.Map(layout, c.Arguments))
}

// HasHidden reports whether a text holds a character that can't be seen, or
// bytes that are none.
func HasHidden(s string) bool {
	before := rune(0)
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			if _, size = utf8.DecodeRuneInString(s[i:]); size == 1 {
				return true
			}
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if Hidden(before, r, after) {
			return true
		}
		before = r
	}
	return false
}

// Hidden reports whether r can't be seen between its neighbours: controls, line
// breaks, directional marks, zero-width and other invisible characters. Joiners
// are a part of the text where writing needs them: inside an emoji, and between
// letters that are not ASCII.
func Hidden(before, r, after rune) bool {
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
