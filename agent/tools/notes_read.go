package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"countersign/agent"
)

//go:embed notes_read.md
var notesReadDescription string

type notesRead struct{ Notebook }

func (notesRead) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "notes_read", Title: "Read a note", Description: strings.TrimSpace(notesReadDescription), ReadOnly: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string","description":"The title of the note, exactly as it is listed."}},"required":["title"],"additionalProperties":false}`),
	}
}

func (t notesRead) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	var title string
	if err := read(in.Arguments, parameter{name: "title", into: &title}); err != nil {
		return failure(wrong(err)), nil
	}
	text, err := t.Read(ctx, in.Conversation, title)
	return answer(title, text, err)
}
