package scripted

import (
	"encoding/json"
	"net/http"

	"countersign/providers"
)

type chunk struct {
	ID      string     `json:"id"`
	Object  string     `json:"object"`
	Created int64      `json:"created"`
	Model   string     `json:"model"`
	Choices []choice   `json:"choices"`
	Usage   *wireUsage `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string      `json:"role,omitempty"`
	Content   *string     `json:"content,omitempty"`
	Reasoning string      `json:"reasoning_content,omitempty"`
	Refusal   string      `json:"refusal,omitempty"`
	ToolCalls []callDelta `json:"tool_calls,omitempty"`
}

type callDelta struct {
	Index    int           `json:"index"`
	ID       string        `json:"id,omitempty"`
	Type     string        `json:"type,omitempty"`
	Function functionDelta `json:"function"`
}

type functionDelta struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// wireUsage leaves out every count that the script does not name.
type wireUsage struct {
	Prompt         *int64             `json:"prompt_tokens,omitempty"`
	Completion     *int64             `json:"completion_tokens,omitempty"`
	Total          *int64             `json:"total_tokens,omitempty"`
	PromptMore     *promptDetails     `json:"prompt_tokens_details,omitempty"`
	CompletionMore *completionDetails `json:"completion_tokens_details,omitempty"`
}

type promptDetails struct {
	Cached *int64 `json:"cached_tokens,omitempty"`
	Write  *int64 `json:"cache_write_tokens,omitempty"`
}

type completionDetails struct {
	Reasoning *int64 `json:"reasoning_tokens,omitempty"`
}

func newWireUsage(u providers.Usage) *wireUsage {
	out := &wireUsage{Prompt: u.InputTotal, Completion: u.Output}
	if u.InputTotal != nil && u.Output != nil {
		total := *u.InputTotal + *u.Output
		out.Total = &total
	}
	if u.CacheRead != nil || u.CacheWrite != nil {
		out.PromptMore = &promptDetails{Cached: u.CacheRead, Write: u.CacheWrite}
	}
	if u.Reasoning != nil {
		out.CompletionMore = &completionDetails{Reasoning: u.Reasoning}
	}
	return out
}

type wireError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Code    *string `json:"code"`
	} `json:"error"`
}

func errorBody(category providers.Category, code string) wireError {
	var body wireError
	body.Error.Message = "The script says so."
	body.Error.Type = string(category)
	if code != "" {
		body.Error.Code = &code
	}
	return body
}

// writeError answers with an error object instead of a stream.
func writeError(w http.ResponseWriter, status int, category providers.Category, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The peer may be gone, and nobody else wants to know.
	_ = json.NewEncoder(w).Encode(errorBody(category, code))
}
