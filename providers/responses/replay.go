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

// pack makes the state of a complete response, nil if there is none, or if an
// item that spoke has no end, so that only what was said is known. calls are
// those of the response, under the ids by which they are known here.
//
// Reasoning goes back only before the message or call that it came before: the
// service refuses it anywhere else.
func (t *translator) pack(calls []providers.ToolCall) *providers.Replay {
	var p private
	var waiting []json.RawMessage // reasoning, for what comes after it
	for _, it := range t.items.list {
		if !it.ended && (t.text.of[it.index] || t.refusal.of[it.index]) {
			return nil
		}
		var back any
		switch kind := it.done.Type.S; {
		case !it.ended:
		case kind == "reasoning" && it.done.Encrypted.S == "":
			continue // nothing that the service could read
		case kind == "reasoning":
			back = reasoningItem{"reasoning", summaryOf(it.done.RawSummary), it.done.RawEncrypted}
		case kind == "message":
			back = messageOf(it.done)
		case kind == "function_call":
			call := calls[len(p.Calls)]
			id := it.done.CallID.S
			if id == "" {
				id = call.ID
			}
			p.Calls = append(p.Calls, privateCall{ID: id, Digest: replay.CallDigest(call)})
			back = callItem(id, call.Name, call.Arguments)
		}
		if back == nil {
			waiting = nil
			continue
		}
		raw, err := wire.Encode(back)
		if err != nil {
			return nil
		}
		waiting = append(waiting, raw)
		if it.done.Type.S != "reasoning" {
			p.Items, waiting = append(p.Items, waiting...), nil
		}
	}
	if len(p.Items) == 0 {
		return nil
	}
	return replay.Pack(t.binding, p)
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
