package anthropic

import (
	"encoding/json"
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// A dialect is what a configuration says about requests.
type dialect struct {
	connection      string
	endpoint        string
	caching         bool
	thinking        *providers.Thinking
	maxOutputTokens int
}

type wireRequest struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       string        `json:"system,omitempty"`
	Messages     []wireMessage `json:"messages"`
	Tools        []wireTool    `json:"tools,omitempty"`
	Thinking     *wireThinking `json:"thinking,omitempty"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
	Stream       bool          `json:"stream"`
}

type wireTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type cacheControl struct {
	Type string `json:"type"`
}

// noParameters is the schema of a tool that names none.
var noParameters = json.RawMessage(`{"type":"object"}`)

// buildRequest returns the body for req. It fails if private state in the
// history is not of this connection, address and model, or if a tool's schema
// is no JSON.
func buildRequest(req providers.Request, d dialect) ([]byte, *providers.Error) {
	w := wireRequest{Model: req.Model, MaxTokens: req.MaxOutputTokens, Stream: true}
	if w.MaxTokens == 0 {
		w.MaxTokens = d.maxOutputTokens
	}
	w.Thinking = d.think(req, w.MaxTokens)
	if d.caching {
		w.CacheControl = &cacheControl{Type: "ephemeral"}
	}
	if !blank(req.System) {
		w.System = req.System
	}
	for _, tool := range req.Tools {
		t := wireTool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Parameters}
		if len(t.InputSchema) == 0 {
			t.InputSchema = noParameters
		}
		w.Tools = append(w.Tools, t)
	}
	h := history{binding: d.binding(req.Model)}
	if failure := h.add(req.Messages); failure != nil {
		return nil, failure
	}
	w.Messages = h.messages
	body, err := wire.Encode(w)
	if err != nil {
		return nil, configurationError(upstream.CodeRequestInvalid)
	}
	return body, nil
}

// blank reports whether the API would refuse a text for having nothing in it.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

func configurationError(code string) *providers.Error {
	return upstream.NewError(providers.APIAnthropic, providers.CategoryConfiguration, code)
}
