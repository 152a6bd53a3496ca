package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"countersign/agent"
)

//go:embed notes_list.md
var notesListDescription string

type notesList struct{ Notebook }

func (notesList) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "notes_list", Title: "List notes", Description: strings.TrimSpace(notesListDescription), ReadOnly: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
	}
}

func (t notesList) Call(ctx context.Context, in agent.Invocation) (agent.Result, error) {
	if err := read(in.Arguments); err != nil {
		return failure(wrong(err)), nil
	}
	titles, err := t.List(ctx, in.Conversation)
	if err == nil && len(titles) == 0 {
		return agent.Result{Text: "There are no notes in this conversation."}, nil
	}
	return answer("", strings.Join(titles, "\n"), err)
}
