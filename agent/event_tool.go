package agent

import "cmp"

// ToolCallRequested is a call that a completed attempt asks for.
type ToolCallRequested struct {
	Call    CallID    `json:"call_id"`
	Attempt AttemptID `json:"attempt_id"`
	Tool    string    `json:"tool"`
	Title   string    `json:"title,omitempty"`
	// Connector is where the tool comes from, "" for a built-in one. Original is
	// then what its server calls the tool.
	Connector string `json:"connector,omitempty"`
	Original  string `json:"original,omitempty"`
	// Arguments are the raw bytes that the model sent. They are shown, bound,
	// decided and run as they are.
	Arguments string `json:"arguments"`
	// Rewritten names the guardrails that changed the arguments before anybody
	// saw them, "" where none did.
	Rewritten string `json:"rewritten,omitempty"`
	// Definition is the hash of the tool's definition at this moment, "" for a
	// tool that is not declared.
	Definition string `json:"definition,omitempty"`
	ReadOnly   bool   `json:"read_only,omitempty"`
	// Signed says that the provider binds the call to what it sent: it can't be
	// changed (contract P31, P32).
	Signed bool `json:"signed,omitempty"`
	// Repeat says that an admin marked the tool of a connector as safe to run
	// again.
	Repeat bool `json:"repeat,omitempty"`
	// Dangerous says that the server of a connector states that the tool
	// destroys.
	Dangerous bool `json:"dangerous,omitempty"`
}

// Shown is what a person reads as the name of the tool: what its server calls
// it.
func (c ToolCallRequested) Shown() string { return cmp.Or(c.Original, c.Tool) }

// Repeatable reports whether the call may run again without asking when nobody
// knows what became of it.
func (c ToolCallRequested) Repeatable() bool { return c.ReadOnly && (c.Connector == "" || c.Repeat) }

// ToolCallStarted is on disk before the tool runs.
type ToolCallStarted struct {
	Call    CallID `json:"call_id"`
	Binding string `json:"binding"`
	// Again says that the call ran before, in a server that stopped.
	Again bool `json:"again,omitempty"`
}

// CallOutcome says how a tool call ended.
type CallOutcome string

const (
	CallOK      CallOutcome = "ok"
	CallError   CallOutcome = "error"
	CallDenied  CallOutcome = "denied"  // decided against; it did not run
	CallExpired CallOutcome = "expired" // nobody decided; it did not run
	// CallNotStarted was open when the run ended; it did not run.
	CallNotStarted CallOutcome = "aborted_before_dispatch"
	// CallUnknown had begun when the run ended: it may have happened.
	CallUnknown CallOutcome = "unknown"
)

// ToolCallFinished ends a call. Every requested call gets exactly one.
type ToolCallFinished struct {
	Call       CallID      `json:"call_id"`
	Outcome    CallOutcome `json:"outcome"`
	Result     string      `json:"result"` // what the model is told
	DurationMS int64       `json:"duration_ms,omitempty"`
}

func (ToolCallRequested) Kind() Kind { return "tool_call_requested" }
func (ToolCallStarted) Kind() Kind   { return "tool_call_started" }
func (ToolCallFinished) Kind() Kind  { return "tool_call_finished" }

// IsError reports whether the model is told that the call failed.
func (o CallOutcome) IsError() bool { return o != CallOK }
