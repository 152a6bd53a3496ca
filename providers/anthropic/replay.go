package anthropic

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
)

// private is what must go back in the place of an answer and may be seen by
// nobody (contract P27 to P32, R12).
type private struct {
	// Content is the turn as it came. It is empty for a refused one, which
	// does not go back.
	Content []json.RawMessage `json:"content,omitempty"`
	// Calls are digests of the calls in Content.
	Calls []string `json:"calls,omitempty"`
}

func (d dialect) binding(model string) string {
	return replay.Binding(d.connection, providers.APIAnthropic, d.endpoint, model)
}

// readReplay returns the private state of a message. It refuses state that is
// not of this binding or not of these calls.
func readReplay(m providers.AssistantMessage, binding string) (private, *providers.Error) {
	var p private
	if !replay.Unpack(*m.Replay, binding, &p) || !replay.SameCalls(p.Calls, m.Calls) || len(p.callIDs()) != len(m.Calls) {
		return p, configurationError(upstream.CodeReplayForeign)
	}
	return p, nil
}

// callIDs returns the provider's ids of the calls.
func (p private) callIDs() []string {
	var ids []string
	for _, raw := range p.Content {
		var b struct {
			Type string `json:"type"`
			ID   string `json:"id"`
		}
		if json.Unmarshal(raw, &b) == nil && b.Type == kindCall {
			ids = append(ids, b.ID)
		}
	}
	return ids
}
