package anthropic

import (
	"encoding/json"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

type wireMessage struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

type wireText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type wireCall struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type wireResult struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content,omitempty"`
	IsError   bool   `json:"is_error,omitempty"`
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// A history becomes the messages of a request. What follows an answer is one
// message of the user: the results of its calls, then what a person wrote.
type history struct {
	binding  string
	messages []wireMessage
	ids      map[string]string // from our id of a call to the provider's
}

func (h *history) add(messages []providers.Message) *providers.Error {
	for _, m := range messages {
		var failure *providers.Error
		switch m := m.(type) {
		case providers.UserMessage:
			failure = h.user(m)
		case providers.AssistantMessage:
			failure = h.answer(m)
		case providers.ToolResult:
			failure = h.result(m)
		}
		if failure != nil {
			return failure
		}
	}
	return nil
}

// answer adds a turn of the model: as the blocks it came in if they are known.
// A refused turn does not go back.
func (h *history) answer(m providers.AssistantMessage) *providers.Error {
	if m.Replay == nil {
		return h.rebuild(m)
	}
	state, failure := readReplay(m, h.binding)
	if failure != nil {
		return failure
	}
	h.ids = make(map[string]string)
	ids := state.callIDs()
	for i, c := range m.Calls {
		h.ids[c.ID] = ids[i]
	}
	if len(state.Content) > 0 {
		h.messages = append(h.messages, wireMessage{Role: roleAssistant, Content: state.Content})
	}
	return nil
}

// rebuild adds a turn of which only the open parts are known.
func (h *history) rebuild(m providers.AssistantMessage) *providers.Error {
	h.ids = nil
	if m.Refusal != "" && len(m.Calls) == 0 {
		return nil
	}
	before := len(h.messages)
	h.messages = append(h.messages, wireMessage{Role: roleAssistant})
	if failure := h.text(roleAssistant, m.Text); failure != nil {
		return failure
	}
	for _, c := range m.Calls {
		input := json.RawMessage(c.Arguments)
		switch {
		case c.Arguments == "":
			input = json.RawMessage(`{}`)
		case !wire.IsObject(input):
			return configurationError(upstream.CodeRequestInvalid)
		}
		if failure := h.block(roleAssistant, wireCall{Type: kindCall, ID: c.ID, Name: c.Name, Input: input}); failure != nil {
			return failure
		}
	}
	if len(h.messages[before].Content) == 0 {
		h.messages = h.messages[:before] // the API refuses an empty one
	}
	return nil
}

// result adds the result of a call. The API refuses an error that says nothing.
func (h *history) result(m providers.ToolResult) *providers.Error {
	w := wireResult{Type: "tool_result", ToolUseID: m.CallID, IsError: m.IsError}
	if id, ok := h.ids[m.CallID]; ok {
		w.ToolUseID = id
	}
	switch {
	case !blank(m.Text):
		w.Content = m.Text
	case m.IsError:
		w.Content = "Error"
	}
	return h.block(roleUser, w)
}

// user adds what a person attached and wrote.
func (h *history) user(m providers.UserMessage) *providers.Error {
	for _, f := range m.Files {
		if failure := h.block(roleUser, fileBlock(f)); failure != nil {
			return failure
		}
	}
	return h.text(roleUser, m.Text)
}

// text adds a text, unless it is blank, which the API refuses.
func (h *history) text(role, text string) *providers.Error {
	if blank(text) {
		return nil
	}
	return h.block(role, wireText{Type: kindText, Text: text})
}

// block adds a block to the last message if it is of this role, else to a new
// one.
func (h *history) block(role string, block any) *providers.Error {
	raw, err := wire.Encode(block)
	if err != nil {
		return configurationError(upstream.CodeRequestInvalid)
	}
	if n := len(h.messages); n == 0 || h.messages[n-1].Role != role {
		h.messages = append(h.messages, wireMessage{Role: role})
	}
	last := &h.messages[len(h.messages)-1]
	last.Content = append(last.Content, raw)
	return nil
}
