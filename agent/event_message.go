package agent

import "countersign/providers"

// UserMessage is what a person wrote, at the start of the run it starts.
type UserMessage struct {
	Message     MessageID    `json:"message_id"`
	Text        string       `json:"text"`
	Author      Actor        `json:"author"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// MessageQueued keeps a message that came while a run was busy. It starts the
// next run.
type MessageQueued struct {
	Message     MessageID     `json:"message_id"`
	Text        string        `json:"text"`
	Author      Actor         `json:"author"`
	Output      OutputOptions `json:"output"`
	Attachments []Attachment  `json:"attachments,omitempty"`
}

// QueuedMessageEdited replaces the text of a waiting message.
type QueuedMessageEdited struct {
	Message MessageID `json:"message_id"`
	Text    string    `json:"text"`
}

// QueuedMessageRemoved takes a waiting message back.
type QueuedMessageRemoved struct {
	Message MessageID `json:"message_id"`
}

// AssistantMessage is the text that a completed attempt committed. It is the
// run's answer only if the run ends with it (contract A5, A6).
type AssistantMessage struct {
	Attempt   AttemptID              `json:"attempt_id"`
	Text      string                 `json:"text"`
	Reasoning string                 `json:"reasoning,omitempty"` // display reasoning, bounded (contract R3)
	Refusal   string                 `json:"refusal,omitempty"`
	Finish    providers.FinishReason `json:"finish"`
}

func (UserMessage) Kind() Kind          { return "user_message" }
func (MessageQueued) Kind() Kind        { return "message_queued" }
func (QueuedMessageEdited) Kind() Kind  { return "queued_message_edited" }
func (QueuedMessageRemoved) Kind() Kind { return "queued_message_removed" }
func (AssistantMessage) Kind() Kind     { return "assistant_message" }
