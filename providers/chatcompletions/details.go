package chatcompletions

import (
	"encoding/json"
	"strings"

	"countersign/providers/wire"
)

// maxDetails bounds the entries of reasoning_details.
const maxDetails = 1024

// details merges OpenRouter's reasoning_details: entries of the same index and
// type are pieces of one, in order of first appearance. Members that we do not
// know are kept as they are.
type details struct {
	list  []*detail
	byKey map[string]*detail
}

type detail struct {
	members map[string]json.RawMessage
	joined  map[string]*strings.Builder // the members that come in pieces
}

// add takes one entry. It reports false when there are too many.
func (d *details) add(raw json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return true
	}
	key := string(members["index"]) + " " + string(members["type"])
	into := d.byKey[key]
	if into == nil {
		if len(d.list) == maxDetails {
			return false
		}
		into = &detail{members: make(map[string]json.RawMessage), joined: make(map[string]*strings.Builder)}
		d.list = append(d.list, into)
		if d.byKey == nil {
			d.byKey = make(map[string]*detail)
		}
		if !wire.Absent(members["index"]) { // one without an index stands alone
			d.byKey[key] = into
		}
	}
	into.merge(members)
	return true
}

func (e *detail) merge(members map[string]json.RawMessage) {
	for name, value := range members {
		switch name {
		case "text", "summary", "data":
			var piece wire.Text
			if json.Unmarshal(value, &piece) == nil && piece.Set {
				if e.joined[name] == nil {
					e.joined[name] = new(strings.Builder)
				}
				e.joined[name].WriteString(piece.S)
				continue
			}
		}
		if _, known := e.members[name]; !known || !wire.Absent(value) {
			e.members[name] = value
		}
	}
}

// export returns the merged entries.
func (d *details) export() []json.RawMessage {
	var out []json.RawMessage
	for _, e := range d.list {
		for name, value := range e.joined {
			if raw, err := wire.Encode(value.String()); err == nil {
				e.members[name] = raw
			}
		}
		if raw, err := wire.Encode(e.members); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// displayText returns what an entry designates for display, "" if nothing.
func displayText(raw json.RawMessage) string {
	var entry struct {
		Type    wire.Text `json:"type"`
		Text    wire.Text `json:"text"`
		Summary wire.Text `json:"summary"`
	}
	_ = json.Unmarshal(raw, &entry)
	switch entry.Type.S {
	case "reasoning.text":
		return entry.Text.S
	case "reasoning.summary":
		return entry.Summary.S
	}
	return ""
}
