package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"countersign/agent"
)

//go:embed ask_user.md
var askUserDescription string

type askUser struct{}

var _ agent.Asker = askUser{}

func (askUser) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "ask_user", Title: "Ask", Description: strings.TrimSpace(askUserDescription),
		Parameters: json.RawMessage(`{"type":"object","properties":{"questions":{"type":"array","description":"What to ask.","minItems":1,"maxItems":4,"items":{"type":"object","properties":{"header":{"type":"string","maxLength":12,"description":"What the question is about, in a word or two."},"question":{"type":"string","maxLength":500},"multi_select":{"type":"boolean","description":"Whether more than one option may be chosen."},"options":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object","properties":{"label":{"type":"string","maxLength":100},"description":{"type":"string","maxLength":300}},"required":["label"],"additionalProperties":false}}},"required":["header","question","options"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`),
	}
}

// Questions reads the arguments of a call.
func (askUser) Questions(arguments json.RawMessage) ([]agent.Question, error) {
	var asked struct {
		Questions []agent.Question `json:"questions"`
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(&asked); err != nil {
		return nil, errors.New("the arguments do not have the form that the tool describes")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something follows the arguments")
	}
	return asked.Questions, nil
}

// Call is never reached where there is somebody to ask: the answer is the
// result.
func (askUser) Call(context.Context, agent.Invocation) (agent.Result, error) {
	return failure("Nobody is there to answer."), nil
}
