package command

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A display writes what a run says to a terminal or a file: reasoning to
// standard error, as it comes, and nothing there without it (contract C3, C12).
// The same pieces in the same order are the same bytes, whether they come from
// a run that is under way or from its record.
type display struct {
	err io.Writer
	raw bool // pass control characters on
	// open says that a phase of reasoning is open, and ended that what it wrote
	// last is a line feed.
	open, ended bool
}

// reasoning writes a piece. The first one of a phase opens it with a line of
// its own (contract C5); the pieces are not decorated (C6).
func (d *display) reasoning(text string) error {
	if text == "" {
		return nil
	}
	lead := ""
	if !d.open {
		d.open, lead = true, "countersign: reasoning:\n"
	}
	d.ended = strings.HasSuffix(text, "\n")
	_, err := io.WriteString(d.err, lead+d.visible(text))
	return err
}

// close ends the phase that is open, if there is one, with exactly one line
// feed unless the text had it (contract C9).
func (d *display) close() error {
	lacks := d.open && !d.ended
	d.open = false
	if !lacks {
		return nil
	}
	_, err := io.WriteString(d.err, "\n")
	return err
}

// visible is text in which a terminal finds nothing to obey.
func (d *display) visible(text string) string {
	if d.raw {
		return text
	}
	return visible(text)
}

// visible replaces control characters by signs that show them. Line feeds and
// tabs stay. What has no sign is written by its code point, as are characters
// that turn the text around it.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case r > 0x7f && r < 0xa0, unicode.Is(unicode.Bidi_Control, r):
			fmt.Fprintf(&b, "[U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
