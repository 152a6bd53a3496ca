package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/agent"
)

//go:embed notes_write.md
var notesWriteDescription string

type notesWrite struct{ Notebook }

func (notesWrite) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "notes_write", Title: "Write a note", Description: strings.TrimSpace(notesWriteDescription),
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string","description":"What the note is called. A note of this title is replaced."},"text":{"type":"string","description":"The whole text of the note."}},"required":["title","text"],"additionalProperties":false}`),
	}
}

var _ agent.Checker = notesWrite{}

func (notesWrite) arguments(raw json.RawMessage) (title, text string, err error) {
	err = read(raw, parameter{name: "title", into: &title}, parameter{name: "text", into: &text})
	return title, text, err
}

func (t notesWrite) Check(arguments json.RawMessage) string {
	_, _, err := t.arguments(arguments)
	return wrong(err)
}

func (t notesWrite) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	title, text, err := t.arguments(in.Arguments)
	if err != nil {
		return failure(wrong(err)), nil
	}
	err = t.Write(ctx, in.Conversation, title, text)
	return answer(title, fmt.Sprintf("The note %q is written.", title), err)
}
