package chatcompletions

import (
	"encoding/json"
	"strings"

	"countersign/providers/wire"
)

// extra is what we look for in Google's extra_content; the rest of it is kept
// unread.
type extra map[string]wire.Loose[struct {
	Thought   bool      `json:"thought"`
	Signature wire.Text `json:"thought_signature"`
}]

func readExtra(raw json.RawMessage) extra {
	if wire.Absent(raw) {
		return nil
	}
	var e extra
	_ = json.Unmarshal(raw, &e)
	return e
}

// thought reports that the content beside it is hidden thinking.
func (e extra) thought() bool {
	for _, vendor := range e {
		if vendor.V.Thought {
			return true
		}
	}
	return false
}

// signed reports that it must be sent back.
func (e extra) signed() bool {
	for _, vendor := range e {
		if vendor.V.Signature.S != "" {
			return true
		}
	}
	return false
}

// closingTag ends hidden thinking; Google glues it to the first piece of the
// answer that follows.
const closingTag = "</thought>"

// thoughts separates hidden thinking from the answer.
type thoughts struct{ open bool }

// answer returns the part of a piece of content that is answer.
func (t *thoughts) answer(s string, flagged bool) string {
	switch {
	case flagged:
		t.open = t.open || s != ""
		return ""
	case t.open && s != "":
		t.open = false
		return strings.TrimPrefix(s, closingTag)
	}
	return s
}
