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

func (t notesDelete) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	var title string
	if err := read(in.Arguments, parameter{name: "title", into: &title}); err != nil {
		return failure(wrong(err)), nil
	}
	err := t.Delete(ctx, in.Conversation, title)
	return answer(title, fmt.Sprintf("The note %q is deleted.", title), err)
}
