package responses

import (
	"encoding/json"
	"strconv"

	"countersign/providers"
	"countersign/providers/wire"
)

// An event is the data of one event. Fields that we do not need are not named:
// those that echo the request would be large, and must not be logged.
type event struct {
	Type         wire.Text            `json:"type"`
	Object       wire.Text            `json:"object"`
	OutputIndex  position             `json:"output_index"`
	SummaryIndex position             `json:"summary_index"`
	Delta        json.RawMessage      `json:"delta"`
	Item         json.RawMessage      `json:"item"`
	Response     wire.Loose[response] `json:"response"`
}

// A position counts from 0, which it also is where none is given. It is below
// that if it is no number, which matters only in events that we know.
type position int

// UnmarshalJSON never fails.
func (p *position) UnmarshalJSON(b []byte) error {
	if wire.Absent(b) {
		return nil
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		n = -1
	}
	*p = position(n)
	return nil
}

// A response is what a terminal event says of the whole.
type response struct {
	Status     wire.Text       `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete wire.Loose[struct {
		Reason wire.Text `json:"reason"`
	}] `json:"incomplete_details"`
	Usage wire.Loose[usage] `json:"usage"`
}

type usage struct {
	Input        wire.Count `json:"input_tokens"`
	Output       wire.Count `json:"output_tokens"`
	InputDetails wire.Loose[struct {
		Cached wire.Count `json:"cached_tokens"`
		Write  wire.Count `json:"cache_write_tokens"`
	}] `json:"input_tokens_details"`
	OutputDetails wire.Loose[struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	}] `json:"output_tokens_details"`
}

// counts translates: the total of the input holds what came from and went into
// the cache.
func (u usage) counts() providers.Usage {
	return providers.Usage{
		InputTotal: u.Input.N, CacheRead: u.InputDetails.V.Cached.N, CacheWrite: u.InputDetails.V.Write.N,
		Output: u.Output.N, Reasoning: u.OutputDetails.V.Reasoning.N,
	}
}

// A doneItem is an item as its last event gives it, or as its first one
// announces it.
type doneItem struct {
	Type         wire.Text                 `json:"type"`
	Status       wire.Text                 `json:"status"`
	CallID       wire.Text                 `json:"call_id"`
	Name         wire.Text                 `json:"name"`
	Arguments    json.RawMessage           `json:"arguments"`
	Content      wire.Loose[[]contentPart] `json:"content"`
	RawSummary   json.RawMessage           `json:"summary"`
	RawEncrypted json.RawMessage           `json:"encrypted_content"`
	Encrypted    wire.Text                 `json:"-"`
	Phase        json.RawMessage           `json:"phase"`
}

type contentPart struct {
	Type    wire.Text `json:"type"`
	Text    wire.Text `json:"text"`
	Refusal wire.Text `json:"refusal"`
}

// readItem reads an item, or reports false for what is none.
func readItem(raw json.RawMessage) (doneItem, bool) {
	var d doneItem
	if json.Unmarshal(raw, &d) != nil || !d.Type.Set {
		return d, false
	}
	if !wire.Absent(d.RawEncrypted) {
		_ = d.Encrypted.UnmarshalJSON(d.RawEncrypted) // another type leaves it unset
	}
	return d, true
}

// summaries returns the texts of a reasoning item's summary.
func (d doneItem) summaries() []string {
	var parts []contentPart
	if json.Unmarshal(d.RawSummary, &parts) != nil {
		return nil
	}
	var list []string
	for _, p := range parts {
		if p.Text.S != "" {
			list = append(list, p.Text.S)
		}
	}
	return list
}
