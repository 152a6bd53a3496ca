package chatcompletions

import (
	"encoding/json"
	"strings"
)

// extra is what we look for in Google's extra_content; the rest of it is kept
// unread.
type extra map[string]loose[struct {
	Thought   bool `json:"thought"`
	Signature text `json:"thought_signature"`
}]

func readExtra(raw json.RawMessage) extra {
	if absent(raw) {
		return nil
	}
	var e extra
	_ = json.Unmarshal(raw, &e)
	return e
}

// thought reports that the content beside it is hidden thinking.
func (e extra) thought() bool {
	for _, vendor := range e {
		if vendor.v.Thought {
			return true
		}
	}
	return false
}

// signed reports that it must be sent back.
func (e extra) signed() bool {
	for _, vendor := range e {
		if vendor.v.Signature.s != "" {
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
