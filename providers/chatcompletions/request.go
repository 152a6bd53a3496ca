package chatcompletions

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// A dialect is what a configuration says about requests.
type dialect struct {
	streamUsage      bool
	maxOutputTokens  int
	outputLimitField string
	connection       string
	base             string
}

type wireRequest struct {
	Model               string         `json:"model"`
	Messages            []wireMessage  `json:"messages"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Tools               []wireTool     `json:"tools,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // *string, []wirePart, or nil for null
	Refusal    string     `json:"refusal,omitempty"`
	ToolCalls  []wireCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ExtraContent     json.RawMessage   `json:"extra_content,omitempty"`
}

type wireCall struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	Function     wireFunction    `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireTool struct {
	Type     string   `json:"type"`
	Function wireSpec `json:"function"`
}

type wireSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// buildRequest returns the body for req. It fails if private state in the
// history is not of this connection, address and model, or if a tool's schema
// is no JSON.
func buildRequest(req providers.Request, d dialect) ([]byte, *providers.Error) {
	w := wireRequest{Model: req.Model, Stream: true}
	if d.streamUsage {
		w.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	limit := req.MaxOutputTokens
	if limit == 0 {
		limit = d.maxOutputTokens
	}
	if d.outputLimitField == MaxCompletionTokens {
		w.MaxCompletionTokens = limit
	} else {
		w.MaxTokens = limit
	}
	for _, tool := range req.Tools {
		w.Tools = append(w.Tools, wireTool{Type: "function", Function: wireSpec(tool)})
	}
	var failure *providers.Error
	if w.Messages, failure = buildMessages(req, d); failure != nil {
		return nil, failure
	}
	body, err := wire.Encode(w)
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	return body, nil
}

func buildMessages(req providers.Request, d dialect) ([]wireMessage, *providers.Error) {
	var out []wireMessage
	if req.System != "" {
		out = append(out, wireMessage{Role: "system", Content: &req.System})
	}
	var ids map[string]string // from our id of a call to the provider's
	for _, m := range req.Messages {
		switch m := m.(type) {
		case providers.UserMessage:
			out = append(out, wireMessage{Role: "user", Content: userContent(m)})
		case providers.AssistantMessage:
			if m.Text == "" && m.Refusal == "" && len(m.Calls) == 0 {
				continue // servers refuse an empty one
			}
			state, failure := readReplay(m, d.binding(req.Model))
			if failure != nil {
				return nil, failure
			}
			w := assistantMessage(m)
			ids = state.apply(&w)
			out = append(out, w)
		case providers.ToolResult:
			out = append(out, toolMessage(m, ids))
		}
	}
	return out, nil
}

func assistantMessage(m providers.AssistantMessage) wireMessage {
	w := wireMessage{Role: "assistant", Refusal: m.Refusal}
	if m.Text != "" {
		w.Content = &m.Text
	}
	for _, c := range m.Calls {
		arguments := c.Arguments
		if arguments == "" {
			arguments = "{}"
		}
		w.ToolCalls = append(w.ToolCalls, wireCall{
			ID: c.ID, Type: "function", Function: wireFunction{Name: c.Name, Arguments: arguments},
		})
	}
	return w
}

// toolMessage says in words that a result is an error, because the API has no
// field for it.
func toolMessage(m providers.ToolResult, ids map[string]string) wireMessage {
	w := wireMessage{Role: "tool", ToolCallID: m.CallID}
	if id, ok := ids[m.CallID]; ok {
		w.ToolCallID = id
	}
	content := m.Text
	if m.IsError {
		content = "Error: " + m.Text
	}
	w.Content = &content
	return w
}

func configurationError(code string) *providers.Error {
	return upstream.NewError(providers.APIChatCompletions, providers.CategoryConfiguration, code)
}
