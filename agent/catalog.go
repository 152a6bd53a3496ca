package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"countersign/providers"
)

// A Catalog knows the configured agents and providers. Its methods are safe
// for use by multiple goroutines.
type Catalog interface {
	// Agent returns an agent as it is configured now, or [ErrNotFound].
	Agent(ctx context.Context, id AgentID) (Agent, error)
	// Connect returns the provider that a model reference names. The error is
	// a [*providers.Error] when the provider can't be used as it is
	// configured, for example because its key is missing (contract P3).
	Connect(ctx context.Context, ref ModelRef) (Connection, error)
}

// An Agent is instructions, tools and limits.
type Agent struct {
	ID           AgentID
	Name         string
	Instructions string
	Model        ModelRef // the default for new conversations
	// Tools are names; mcp__name__* stands for all tools of a connector.
	Tools []string
	// Reviewer judges calls that would go to a person; zero for none.
	Reviewer ModelRef
	Output   OutputOptions
	Limits   Limits
	Safety   Safety
}

// Has reports whether the agent has a tool, by its own name or with all those of
// its connector.
func (a Agent) Has(tool string) bool {
	return slices.ContainsFunc(a.Tools, func(name string) bool {
		all, many := strings.CutSuffix(name, "*")
		return name == tool || many && strings.HasPrefix(tool, all)
	})
}

// Limits bound a run. A zero field means its default.
type Limits struct {
	ModelCalls int           // model calls of a run
	Approval   time.Duration // until an approval expires
	Question   time.Duration // until a question expires
	Review     time.Duration // of one call, by the reviewer
}

// A Connection is a provider that is ready to be used, with its retry policy
// and what its model costs.
type Connection struct {
	Provider providers.Provider
	Retry    RetryPolicy
	Price    *Price // of the model, nil where none is set
	// NoTools and NoReasoning say that the model takes no tools, and has no
	// reasoning to show: it is not asked for what it would refuse (contract
	// P17).
	NoTools, NoReasoning bool
}

// A Tool is something a model may ask to run. Its methods are safe for use by
// multiple goroutines.
type Tool interface {
	// Definition is constant.
	Definition() ToolDefinition
	// Call runs the tool. It is called once for a call, unless a person or the
	// tool's ReadOnly allows it again. A failure that the model should know of
	// is a Result with IsError; an error is a fault of the tool itself, and
	// the model is told no more than that it failed.
	Call(ctx context.Context, in Invocation) (Result, error)
}

// A ToolSource has tools that come and go, as those of connectors do. It must
// be safe for use by multiple goroutines, and answer from memory.
type ToolSource interface {
	// Tools returns the tools that there are now, in a stable order.
	Tools() []Tool
}

// ErrOutcomeUnknown is the error of a [Tool] that can't say whether a call
// happened: the connection to whoever carries it out is gone. A person is asked,
// unless the call is one that may run again.
var ErrOutcomeUnknown = errors.New("nobody knows whether the call happened")

// MaxArguments is how many bytes of arguments a call may have. A card shows
// them whole, so there has to be a bound on what a person is asked to read.
const MaxArguments = 256 << 10

// A Checker is a tool that knows without running that a call can't work, so
// that nobody is asked to decide on it.
type Checker interface {
	Tool
	// Check says to the model what is wrong with the arguments, "" where
	// nothing is.
	Check(arguments json.RawMessage) string
}

// A ToolDefinition is what is known of a tool before it runs.
type ToolDefinition struct {
	Name        string          `json:"name"`  // what the model calls it: [A-Za-z0-9_-]{1,64}
	Title       string          `json:"title"` // what a person reads
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema of an object
	// ReadOnly says that the tool changes nothing, so that it runs without a
	// card and may run again after a crash.
	ReadOnly bool `json:"read_only"`

	// These are of the tool of a connector: the connector's name, what its
	// server calls the tool, and whether the tool is safe to run again and is
	// said to destroy.
	Connector string `json:"connector,omitempty"`
	Original  string `json:"original,omitempty"`
	Repeat    bool   `json:"repeat,omitempty"`
	Dangerous bool   `json:"dangerous,omitempty"`
}

// An Invocation is one call as it was allowed.
type Invocation struct {
	Conversation ConversationID
	Call         CallID // stable: usable as an idempotency key
	// Arguments are the raw bytes, "{}" where the model sent none.
	Arguments json.RawMessage
	Now       time.Time
}

// A Result is what the model is told.
type Result struct {
	Text    string
	IsError bool
}
