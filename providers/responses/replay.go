package responses

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// private is the state that goes with an answer: the items as they go back, in
// their order, and the calls among them.
type private struct {
	Items []json.RawMessage `json:"items"`
	Calls []privateCall     `json:"calls,omitempty"`
}

// A privateCall ties a call to its item: by the service's id, and by what the
// call is.
type privateCall struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// replayed returns the items of a message that has private state. State of
// another binding, or of other calls, is refused.
func replayed(m providers.AssistantMessage, binding string) (items []any, ids map[string]string, failure *providers.Error) {
	var p private
	if !replay.Unpack(*m.Replay, binding, &p) || len(p.Calls) != len(m.Calls) {
		return nil, nil, configurationError(upstream.CodeReplayForeign)
	}
	ids = make(map[string]string)
	for i, c := range p.Calls {
		if c.Digest != replay.CallDigest(m.Calls[i]) {
			return nil, nil, configurationError(upstream.CodeReplayForeign)
		}
		ids[m.Calls[i].ID] = c.ID
	}
	for _, item := range p.Items {
		items = append(items, item)
	}
	return items, ids, nil
}

// A reasoningItem goes back without its id: without stored state the service
// finds nothing under it.
type reasoningItem struct {
	Type      string          `json:"type"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted json.RawMessage `json:"encrypted_content"`
}

// pack makes the state of finished items, nil if there is none. calls are those
// of the items, under the ids by which they are known here.
func pack(items []*item, calls []providers.ToolCall, binding string) *providers.Replay {
	var p private
	for _, it := range items {
		var back any
		switch it.done.Type.S {
		case "reasoning":
			if it.done.Encrypted.S == "" {
				continue // nothing that the service could read
			}
			back = reasoningItem{"reasoning", summaryOf(it.done.RawSummary), it.done.RawEncrypted}
		case "message":
			back = messageOf(it.done)
		case "function_call":
			call := calls[len(p.Calls)]
			id := it.done.CallID.S
			if id == "" {
				id = call.ID
			}
			p.Calls = append(p.Calls, privateCall{ID: id, Digest: replay.CallDigest(call)})
			back = callItem(id, call.Name, call.Arguments)
		default:
			continue
		}
		raw, err := wire.Encode(back)
		if err != nil {
			return nil
		}
		p.Items = append(p.Items, raw)
	}
	if len(p.Items) == 0 {
		return nil
	}
	return replay.Pack(binding, p)
}

func summaryOf(raw json.RawMessage) json.RawMessage {
	if wire.Absent(raw) {
		return json.RawMessage("[]")
	}
	return raw
}

func messageOf(d doneItem) message {
	m := message{Type: "message", Role: "assistant", Content: []part{}}
	if !wire.Absent(d.Phase) {
		m.Phase = d.Phase
	}
	for _, c := range d.Content.V {
		switch c.Type.S {
		case "output_text":
			m.Content = append(m.Content, part{Type: "output_text", Text: &c.Text.S})
		case "refusal":
			m.Content = append(m.Content, part{Type: "refusal", Refusal: &c.Refusal.S})
		}
	}
	return m
}
