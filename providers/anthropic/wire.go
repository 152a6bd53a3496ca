package anthropic

import (
	"encoding/json"

	"countersign/providers/wire"
)

// A frame is the data of one event. Members that we do not need are not named.
type frame struct {
	Type    wire.Text              `json:"type"`
	Index   json.RawMessage        `json:"index"`
	Block   json.RawMessage        `json:"content_block"`
	Delta   wire.Loose[delta]      `json:"delta"`
	Usage   *wire.Loose[wireUsage] `json:"usage"`
	Message wire.Loose[struct {
		Usage *wire.Loose[wireUsage] `json:"usage"`
	}] `json:"message"`
	Error json.RawMessage `json:"error"`
}

// A delta is a piece of a block, or in message_delta the reason of the end.
type delta struct {
	Type        string          `json:"type"`
	Text        json.RawMessage `json:"text"`
	Thinking    json.RawMessage `json:"thinking"`
	Signature   json.RawMessage `json:"signature"`
	PartialJSON json.RawMessage `json:"partial_json"`
	StopReason  wire.Text       `json:"stop_reason"`
}

// A blockStart is the beginning of a block. What it holds already counts as a
// first piece.
type blockStart struct {
	Type      string          `json:"type"`
	Text      json.RawMessage `json:"text"`
	Thinking  json.RawMessage `json:"thinking"`
	Signature json.RawMessage `json:"signature"`
	ID        wire.Text       `json:"id"`
	Name      wire.Text       `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// The kinds of blocks that are understood.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindRedacted = "redacted_thinking"
	kindCall     = "tool_use"
)

// looseText returns a text to show, "" where it is absent. It reports false if
// raw is none. What no string can hold is replaced in it.
func looseText(raw json.RawMessage) (string, bool) {
	if wire.Absent(raw) {
		return "", true
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}
