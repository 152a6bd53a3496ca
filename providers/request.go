package providers

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// A Request is one model call, in the words of no vendor.
type Request struct {
	Model    string
	System   string
	Messages []Message
	Tools    []ToolSpec

	// Attempt counts the tries of this model call from 1. Only scripted
	// providers look at it.
	Attempt int

	// Reasoning asks for the text that the provider designates for display.
	// It never turns reasoning on (contract R4, R5, R6).
	Reasoning bool

	// MaxOutputTokens bounds the answer. Zero leaves it to the provider's
	// configuration, and then to the service.
	MaxOutputTokens int

	// OmitThinking leaves out the thinking setting of the connection: tests of
	// a connection, summaries and reviews are not the work it was made for
	// (contract R11, R13). Blocks in the history go back all the same (R12).
	OmitThinking bool
}

// A Message is one entry of the history: a [UserMessage], an
// [AssistantMessage] or a [ToolResult].
type Message interface{ message() }

// A UserMessage is what a person wrote. Files stand before the text, which may
// be empty where there are some.
type UserMessage struct {
	Text  string
	Files []File
}

// A File is an image, a PDF or plain text.
type File struct {
	Name string // untrusted
	Type string // media type: image/…, application/pdf or text/plain
	Data []byte // text is UTF-8
}

// Image reports whether the file is a picture.
func (f File) Image() bool { return strings.HasPrefix(f.Type, "image/") }

// PDF reports whether the file is a PDF.
func (f File) PDF() bool { return f.Type == "application/pdf" }

// DataURL is the file as an address that holds it.
func (f File) DataURL() string {
	return "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data)
}

// Quoted is a text file in the words of a message, for APIs that have no form
// of their own for it.
func (f File) Quoted() string { return fmt.Sprintf("File %q:\n\n%s", f.Name, f.Data) }

// An AssistantMessage is a committed answer of the model with the tool calls
// it asked for. Every call is followed by its [ToolResult], in the same order,
// before the next message of another kind.
type AssistantMessage struct {
	Text    string
	Refusal string
	Calls   []ToolCall

	// Replay is the private state that the same connection gave with this
	// message, nil when there is none.
	Replay *Replay
}

// A ToolResult answers one call of the assistant message before it.
type ToolResult struct {
	CallID  string
	Text    string
	IsError bool
}

func (UserMessage) message()      {}
func (AssistantMessage) message() {}
func (ToolResult) message()       {}

// A ToolSpec describes a tool to the model.
type ToolSpec struct {
	Name        string // matches [A-Za-z0-9_-]{1,64}
	Description string
	Parameters  json.RawMessage // a JSON schema of type object
}

// Replay is opaque state that must go back unchanged, and only to the
// connection that Binding names (contract P27 to P29). Nothing but the adapter
// that made it reads State; it reaches no page, log, error or export.
type Replay struct {
	Binding string          `json:"binding"`
	State   json.RawMessage `json:"state"`
}
