package scripted_test

import (
	"testing"

	"countersign/providers"
	"countersign/providers/scripted"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	req := providers.Request{
		Model:   "scripted-1",
		System:  "You are Countersign.",
		Attempt: 2,
		Tools:   []providers.ToolSpec{{Name: "notes_write"}},
		Messages: []providers.Message{
			providers.UserMessage{Text: "earlier"},
			providers.AssistantMessage{Calls: []providers.ToolCall{{ID: "call_0", Name: "notes_write"}}},
			providers.ToolResult{CallID: "call_0", Text: "old result"},
			providers.UserMessage{Text: "Buy Milk"},
			providers.AssistantMessage{Calls: []providers.ToolCall{{ID: "call_1", Name: "notes_write"}}},
			providers.ToolResult{CallID: "call_1", Text: "saved"},
			providers.ToolResult{CallID: "call_2", Text: "denied"},
		},
	}
	tests := []struct {
		condition string
		want      bool
	}{
		{`user "milk"`, true},
		{`user "earlier"`, false},
		{`user "bread" "milk"`, true},
		{`not user "milk"`, false},
		{`system "countersign"`, true},
		{`system "milk"`, false},
		{`result "denied"`, true},
		{`result "old result"`, false},
		{`result call_1 "saved"`, true},
		{`result call_1 "denied"`, false},
		{`results 2`, true},
		{`results 0`, false},
		{`tool notes_write`, true},
		{`tool notes_delete`, false},
		{`not tool notes_delete`, true},
		{`attempt 2`, true},
		{`attempt 1`, false},
		{`model scripted-1`, true},
		{`model scripted`, false},
	}
	for _, tt := range tests {
		t.Run(tt.condition, func(t *testing.T) {
			t.Parallel()
			script, err := scripted.Parse("match " + tt.condition + "\nfinish stop")
			if err != nil {
				t.Fatal(err)
			}
			if got := script.Match(req) != nil; got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
