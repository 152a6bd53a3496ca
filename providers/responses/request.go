package responses

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

type wireRequest struct {
	Model           string     `json:"model"`
	Instructions    string     `json:"instructions,omitempty"`
	Input           []any      `json:"input"`
	Stream          bool       `json:"stream"`
	Store           bool       `json:"store"` // never; absence would mean yes
	Include         []string   `json:"include"`
	Reasoning       *reasoning `json:"reasoning,omitempty"`
	MaxOutputTokens int        `json:"max_output_tokens,omitempty"`
	Tools           []wireTool `json:"tools,omitempty"`
}

type reasoning struct {
	Summary string `json:"summary"`
}

type wireTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// Strict is said outright: absence means yes on some accounts, and the
	// schemas are not made for it.
	Strict bool `json:"strict"`
}

type message struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content []part          `json:"content"`
	Phase   json.RawMessage `json:"phase,omitempty"`
}

type part struct {
	Type    string  `json:"type"`
	Text    *string `json:"text,omitempty"`
	Refusal *string `json:"refusal,omitempty"`

	ImageURL string `json:"image_url,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Filename string `json:"filename,omitempty"`
	FileData string `json:"file_data,omitempty"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// buildRequest returns the body for req. It fails if private state in the
// history is not of the binding, or if a tool's schema is no JSON.
func buildRequest(req providers.Request, binding string) ([]byte, *providers.Error) {
	w := wireRequest{
		Model: req.Model, Instructions: req.System, Stream: true, Include: []string{"reasoning.encrypted_content"},
		MaxOutputTokens: req.MaxOutputTokens, Input: []any{},
	}
	if req.Reasoning {
		w.Reasoning = &reasoning{Summary: "auto"}
	}
	for _, tool := range req.Tools {
		w.Tools = append(w.Tools, wireTool{Type: "function", Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	var ids map[string]string // from our id of a call to the service's
	for _, m := range req.Messages {
		switch m := m.(type) {
		case providers.UserMessage:
			w.Input = append(w.Input, message{Type: "message", Role: "user", Content: userParts(m)})
		case providers.AssistantMessage:
			items, known, failure := assistantItems(m, binding)
			if failure != nil {
				return nil, failure
			}
			ids = known
			w.Input = append(w.Input, items...)
		case providers.ToolResult:
			w.Input = append(w.Input, resultItem(m, ids))
		}
	}
	body, err := wire.Encode(w)
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	return body, nil
}

// assistantItems returns what an answer goes back as: the items that the
// service gave, or where there are none what can be said without them.
func assistantItems(m providers.AssistantMessage, binding string) (items []any, ids map[string]string, failure *providers.Error) {
	if m.Replay != nil {
		return replayed(m, binding)
	}
	if m.Text != "" {
		items = append(items, message{Type: "message", Role: "assistant", Content: []part{{Type: "output_text", Text: &m.Text}}})
	}
	if m.Refusal != "" {
		items = append(items, message{Type: "message", Role: "assistant", Content: []part{{Type: "refusal", Refusal: &m.Refusal}}})
	}
	for _, c := range m.Calls {
		items = append(items, callItem(c.ID, c.Name, c.Arguments))
	}
	return items, nil, nil
}

func callItem(id, name, arguments string) functionCall {
	if arguments == "" {
		arguments = "{}"
	}
	return functionCall{Type: "function_call", CallID: id, Name: name, Arguments: arguments}
}

// resultItem says in words that a result is an error, because the API has no
// field for it.
func resultItem(m providers.ToolResult, ids map[string]string) functionOutput {
	out := functionOutput{Type: "function_call_output", CallID: m.CallID, Output: m.Text}
	if id, ok := ids[m.CallID]; ok {
		out.CallID = id
	}
	if m.IsError {
		out.Output = "Error: " + m.Text
	}
	return out
}
