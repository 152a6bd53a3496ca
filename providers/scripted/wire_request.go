package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"countersign/providers"
)

// maxRequest bounds the body of a request, in bytes.
const maxRequest = 32 << 20

// wireRequest is the part of a Chat Completions request that is read.
type wireRequest struct {
	Model         string        `json:"model"`
	Messages      []wireMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools               *[]wireTool `json:"tools"`
	MaxTokens           *int        `json:"max_tokens"`
	MaxCompletionTokens *int        `json:"max_completion_tokens"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	Refusal    string          `json:"refusal"`
	ToolCalls  []wireCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

type wireCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// decodeRequest reads a request and turns it into the words of providers. It
// refuses what the services refuse, for example empty tools or a tool result
// that answers no call. The header X-Attempt numbers the try; without it the
// try is the first, as it is when the header says 0.
func decodeRequest(r *http.Request) (req providers.Request, includeUsage bool, err error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err != nil {
		return req, false, fmt.Errorf("read the body: %w", err)
	}
	if len(body) > maxRequest {
		return req, false, errors.New("the body is too large")
	}
	var in wireRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return req, false, fmt.Errorf("parse the body: %w", err)
	}
	req = providers.Request{Model: in.Model, Reasoning: true, Attempt: 1}
	if header := r.Header.Get("X-Attempt"); header != "" {
		n, err := strconv.Atoi(header)
		if err != nil {
			return req, false, fmt.Errorf("X-Attempt is %q", header)
		}
		req.Attempt = max(n, 1)
	}
	if err := in.check(); err != nil {
		return req, false, err
	}
	for _, limit := range []*int{in.MaxTokens, in.MaxCompletionTokens} {
		if limit != nil {
			req.MaxOutputTokens = *limit
		}
	}
	if in.Tools != nil {
		for _, t := range *in.Tools {
			req.Tools = append(req.Tools, providers.ToolSpec{
				Name: t.Function.Name, Description: t.Function.Description, Parameters: t.Function.Parameters,
			})
		}
	}
	if err := in.history(&req); err != nil {
		return req, false, err
	}
	return req, in.StreamOptions != nil && in.StreamOptions.IncludeUsage, nil
}

// check judges the fields around the history.
func (in *wireRequest) check() error {
	switch {
	case in.Model == "":
		return errors.New("model is missing")
	case !in.Stream:
		return errors.New("stream is not true")
	case in.MaxTokens != nil && in.MaxCompletionTokens != nil:
		return errors.New("max_tokens and max_completion_tokens are both there")
	case in.Tools != nil && len(*in.Tools) == 0:
		return errors.New("tools is an empty list")
	}
	if in.Tools == nil {
		return nil
	}
	for _, t := range *in.Tools {
		if t.Type != "function" || t.Function.Name == "" || !isObject(t.Function.Parameters) {
			return fmt.Errorf("tool %q is not a function with a name and parameters", t.Function.Name)
		}
	}
	return nil
}

// history translates the messages in order.
func (in *wireRequest) history(req *providers.Request) error {
	var open []string // calls that wait for their result
	for i, m := range in.Messages {
		text, err := contentText(m.Content)
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if len(open) > 0 && (m.Role != "tool" || m.ToolCallID != open[0]) {
			return fmt.Errorf("message %d: the result of call %s must come here", i, open[0])
		}
		switch m.Role {
		case "system":
			req.System += text
		case "user":
			req.Messages = append(req.Messages, providers.UserMessage{Text: text})
		case "assistant":
			answer, err := assistant(m, text)
			if err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
			for _, c := range answer.Calls {
				open = append(open, c.ID)
			}
			req.Messages = append(req.Messages, answer)
		case "tool":
			if len(open) == 0 {
				return fmt.Errorf("message %d: no call waits for this result", i)
			}
			open = open[1:]
			req.Messages = append(req.Messages, providers.ToolResult{CallID: m.ToolCallID, Text: text})
		default:
			return fmt.Errorf("message %d: role %q", i, m.Role)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("call %s has no result", open[0])
	}
	return endsWithTurn(req.Messages)
}

// endsWithTurn refuses a history in which it is not the model's turn.
func endsWithTurn(messages []providers.Message) error {
	if len(messages) == 0 {
		return errors.New("messages are missing")
	}
	if _, ok := messages[len(messages)-1].(providers.AssistantMessage); ok {
		return errors.New("the last message is the assistant's")
	}
	return nil
}

func assistant(m wireMessage, text string) (providers.AssistantMessage, error) {
	answer := providers.AssistantMessage{Text: text, Refusal: m.Refusal}
	if text == "" && m.Refusal == "" && len(m.ToolCalls) == 0 {
		return answer, errors.New("an assistant message without text and calls")
	}
	for _, c := range m.ToolCalls {
		if c.ID == "" || c.Type != "function" || c.Function.Name == "" {
			return answer, errors.New("a call without id, type or name")
		}
		if !isObject([]byte(c.Function.Arguments)) {
			return answer, fmt.Errorf("the arguments of call %s are not a JSON object", c.ID)
		}
		answer.Calls = append(answer.Calls, providers.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return answer, nil
}

// contentText returns the text of a content that is null, a string or a list
// of parts; parts that are not text are skipped.
func contentText(content json.RawMessage) (string, error) {
	if len(content) == 0 || string(content) == "null" {
		return "", nil
	}
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", errors.New("content is neither a string nor parts")
	}
	for _, p := range parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return text, nil
}
