package chatcompletions

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/replay"
	"countersign/providers/upstream"
)

// private is what must go back with an assistant message and may be seen by
// nobody (contract P27 to P32).
type private struct {
	// EmptyContent says that the server wrote an absent text as "", as
	// DeepSeek does, which wants it back that way.
	EmptyContent bool `json:"empty_content,omitempty"`

	Calls            []privateCall     `json:"calls,omitempty"`
	ExtraContent     json.RawMessage   `json:"extra_content,omitempty"`
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

// A privateCall belongs to the call at the same position.
type privateCall struct {
	ID           string          `json:"id,omitempty"` // the provider's; callers name calls as they like
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// Digest binds the state to the call it came with, so that a signature
	// never goes out with altered arguments.
	Digest string `json:"digest"`
}

func (d dialect) binding(model string) string {
	return replay.Binding(d.connection, providers.APIChatCompletions, d.base, model)
}

// pack returns the state as a replay, nil if there is none.
func (p private) pack(binding string) *providers.Replay {
	if !p.EmptyContent && len(p.Calls) == 0 && len(p.ExtraContent) == 0 &&
		p.ReasoningContent == nil && p.Reasoning == nil && len(p.ReasoningDetails) == 0 {
		return nil
	}
	return replay.Pack(binding, p)
}

// readReplay returns the private state of a message. It refuses state that is
// not of this binding or not of these calls.
func readReplay(m providers.AssistantMessage, binding string) (private, *providers.Error) {
	var p private
	if m.Replay == nil {
		return p, nil
	}
	if !replay.Unpack(*m.Replay, binding, &p) {
		return p, configurationError(upstream.CodeReplayForeign)
	}
	if len(p.Calls) > 0 && len(p.Calls) != len(m.Calls) {
		return p, configurationError(upstream.CodeReplayForeign)
	}
	for i, c := range p.Calls {
		if c.Digest != replay.CallDigest(m.Calls[i]) {
			return p, configurationError(upstream.CodeReplayForeign)
		}
	}
	return p, nil
}

// apply puts the state into the message and returns the provider's ids of the
// calls that have another one here.
func (p private) apply(w *wireMessage) map[string]string {
	if w.Content == nil && p.EmptyContent {
		w.Content = new(string)
	}
	w.ExtraContent = p.ExtraContent
	w.ReasoningContent, w.Reasoning, w.ReasoningDetails = p.ReasoningContent, p.Reasoning, p.ReasoningDetails
	ids := make(map[string]string)
	for i, c := range p.Calls {
		if c.ID != "" {
			ids[w.ToolCalls[i].ID] = c.ID
			w.ToolCalls[i].ID = c.ID
		}
		w.ToolCalls[i].ExtraContent = c.ExtraContent
	}
	return ids
}
