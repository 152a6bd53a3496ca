package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"countersign/agent"
)

//go:embed notes_delete.md
var notesDeleteDescription string

type notesDelete struct{ Notebook }

func (notesDelete) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "notes_delete", Title: "Delete a note", Description: strings.TrimSpace(notesDeleteDescription),
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string","description":"The title of the note, exactly as it is listed."}},"required":["title"],"additionalProperties":false}`),
	}
}

var _ agent.Checker = notesDelete{}

func (notesDelete) arguments(raw json.RawMessage) (title string, err error) {
	err = read(raw, parameter{name: "title", into: &title})
	return title, err
}

func (t notesDelete) Check(arguments json.RawMessage) string {
	_, err := t.arguments(arguments)
	return wrong(err)
}

func (t notesDelete) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	title, err := t.arguments(in.Arguments)
	if err != nil {
		return failure(wrong(err)), nil
	}
	err = t.Delete(ctx, in.Conversation, title)
	return answer(title, fmt.Sprintf("The note %q is deleted.", title), err)
}
