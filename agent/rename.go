package agent

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rename gives a conversation the title that a person chose, without the white
// space around it. The error is an [*InputError] for a title that is longer
// than MaxTitle characters, holds characters that can't be seen or has none
// that can.
func (e *Engine) Rename(ctx context.Context, id ConversationID, title string) error {
	title = strings.Join(strings.Fields(title), " ")
	if problem := checkTitle(title); problem != "" {
		return &InputError{Message: problem}
	}
	_, err := e.commit(ctx, id, func(h Head) ([]Entry, error) {
		if h.Title == title {
			return nil, nil
		}
		return []Entry{{Event: ConversationTitled{Title: title}}}, nil
	})
	return err
}

// checkTitle says what is wrong with a title, "" if nothing is.
func checkTitle(title string) string {
	switch {
	case !strings.ContainsFunc(title, leavesInk):
		return "Enter a title."
	case utf8.RuneCountInString(title) > MaxTitle:
		return fmt.Sprintf("A title may have %d characters.", MaxTitle)
	case !utf8.ValidString(title) || strings.ContainsFunc(title, hidden):
		return "A title is made of characters that can be seen."
	}
	return ""
}

// leavesInk reports whether a reader sees something where the rune is.
func leavesInk(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x2800, 0x3164, 0xffa0: // letters and a pattern that are blank
		return false
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
}

// hidden reports whether a rune neither shows nor takes part in one that does:
// joiners and tags make emoji and the letters of some scripts.
func hidden(r rune) bool {
	joins := r == 0x200c || r == 0x200d || r >= 0xe0020 && r <= 0xe007f
	return !unicode.IsGraphic(r) && !joins
}
