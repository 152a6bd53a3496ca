package chatcompletions

import "encoding/json"

// details merges OpenRouter's reasoning_details: entries of the same index and
// type are pieces of one (order of first appearance). Other members of an
// entry are kept as they are.
type details struct {
	list []map[string]json.RawMessage
}

func (d *details) add(raw json.RawMessage) {
	var entry map[string]json.RawMessage
	if json.Unmarshal(raw, &entry) != nil || entry == nil {
		return
	}
	into := d.find(entry)
	if into == nil {
		d.list = append(d.list, entry)
		return
	}
	for name, value := range entry {
		switch name {
		case "text", "summary", "data":
			into[name] = concat(into[name], value)
		default:
			if !absent(value) {
				into[name] = value
			}
		}
	}
}

// find returns the entry that this one continues. One without an index stands
// alone.
func (d *details) find(entry map[string]json.RawMessage) map[string]json.RawMessage {
	if absent(entry["index"]) {
		return nil
	}
	for _, known := range d.list {
		if string(known["index"]) == string(entry["index"]) && string(known["type"]) == string(entry["type"]) {
			return known
		}
	}
	return nil
}

// concat joins two JSON strings; what is no string leaves the other as it is.
func concat(a, b json.RawMessage) json.RawMessage {
	var first, second text
	if json.Unmarshal(b, &second) != nil || !second.set {
		return a
	}
	if json.Unmarshal(a, &first) != nil || !first.set {
		return b
	}
	joined, err := encode(first.s + second.s)
	if err != nil {
		return a
	}
	return joined
}

func (d *details) export() []json.RawMessage {
	var out []json.RawMessage
	for _, entry := range d.list {
		if raw, err := encode(entry); err == nil {
			out = append(out, raw)
		}
	}
	return out
}

// displayText returns what an entry designates for display, "" if nothing.
func displayText(raw json.RawMessage) string {
	var entry struct {
		Type    text `json:"type"`
		Text    text `json:"text"`
		Summary text `json:"summary"`
	}
	_ = json.Unmarshal(raw, &entry)
	switch entry.Type.s {
	case "reasoning.text":
		return entry.Text.s
	case "reasoning.summary":
		return entry.Summary.s
	}
	return ""
}
