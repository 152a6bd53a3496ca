package chatcompletions

import (
	"encoding/json"

	"countersign/providers/wire"
)

// A chunk is the data of one event. Fields that we do not need are not named,
// and those that vendors fill in odd ways are read as far as they fit.
type chunk struct {
	Choices *[]choice        `json:"choices"`
	Usage   *usage           `json:"usage"`
	Groq    wire.Loose[groq] `json:"x_groq"`
	Error   json.RawMessage  `json:"error"`
	ID      wire.Text        `json:"id"`
}

type groq struct {
	Usage *usage `json:"usage"`
}

type choice struct {
	Index        int             `json:"index"`
	Delta        delta           `json:"delta"`
	Message      json.RawMessage `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Usage        *usage          `json:"usage"`
	native
}

type delta struct {
	Content          content                       `json:"content"`
	ReasoningContent wire.Text                     `json:"reasoning_content"`
	Reasoning        wire.Text                     `json:"reasoning"`
	ReasoningDetails wire.Loose[[]json.RawMessage] `json:"reasoning_details"`
	Refusal          wire.Text                     `json:"refusal"`
	ToolCalls        []callDelta                   `json:"tool_calls"`
	FunctionCall     json.RawMessage               `json:"function_call"`
	ExtraContent     json.RawMessage               `json:"extra_content"`
	native
}

// native is what a proxy's upstream said, where the proxy says it.
type native struct {
	Reason   wire.Text `json:"native_finish_reason"`
	Specific wire.Loose[struct {
		Reason wire.Text `json:"native_finish_reason"`
	}] `json:"provider_specific_fields"`
}

func (n native) reason() string {
	if n.Reason.S != "" {
		return n.Reason.S
	}
	return n.Specific.V.Reason.S
}

type callDelta struct {
	Index    json.RawMessage `json:"index"`
	ID       string          `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

// content is a string, or a list of parts of which the text parts count.
type content struct {
	wire.Text
	odd bool // neither of them
}

func (c *content) UnmarshalJSON(b []byte) error {
	switch {
	case wire.Absent(b):
		return nil
	case b[0] == '"':
		return c.Text.UnmarshalJSON(b)
	}
	var parts []struct {
		Type wire.Text `json:"type"`
		Text wire.Text `json:"text"`
	}
	if json.Unmarshal(b, &parts) != nil {
		c.odd = true
		return nil
	}
	for _, p := range parts {
		if p.Type.S == "text" {
			c.Set = true
			c.S += p.Text.S
		}
	}
	return nil
}
