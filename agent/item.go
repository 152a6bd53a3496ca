package agent

import (
	"time"

	"countersign/providers"
)

// A RunItem is one run as a page shows it: the person's message, then what
// came of it in order.
type RunItem struct {
	ID        RunID
	FirstSeq  Seq
	Message   UserMessage
	AgentName string
	Model     ModelRef
	Output    OutputOptions
	Status    RunStatus
	CreatedAt time.Time
	EndedAt   time.Time // zero until the run is over
	Usage     UsageTotal
	Reviewing *CallItem // what the reviewer judges at the moment, nil for nothing
	Items     []Item
}

// An Item is one entry of a run: a [*ReasoningItem], [*AttemptItem],
// [*CallsItem], [*ApprovalItem], [*QuestionItem], [*ReconcileItem],
// [*SafetyItem] or [*NoticeItem]. Items keep their order; new ones come at the
// end.
type Item interface {
	// Key names the item within the installation and never changes.
	Key() string
}

// AttemptState is where an attempt's text stands.
type AttemptState string

const (
	AttemptOpen        AttemptState = "open"        // under way; Text is what the draft holds
	AttemptProvisional AttemptState = "provisional" // complete, but the run is not
	AttemptFinal       AttemptState = "final"       // the run succeeded with it
	AttemptWithdrawn   AttemptState = "withdrawn"   // it has no text any more
)

// A ReasoningItem is an attempt's display reasoning. It stands before the
// attempt's own item and leaves with it.
type ReasoningItem struct {
	Attempt AttemptID
	Text    string
	Limited bool // the display bound was reached
	Open    bool // still being written
	At      time.Time
}

// An AttemptItem is one try of a model call.
type AttemptItem struct {
	Attempt AttemptID
	Number  int
	Of      int
	State   AttemptState
	Text    string
	Refusal string
	Finish  providers.FinishReason
	At      time.Time
	Took    time.Duration
	// Outcome is "" until the attempt has ended.
	Outcome AttemptOutcome
	Error   *ProviderError // why it failed
	// Withheld says which guardrail kept its output back.
	Withheld *OutputWithheld
	Retry    *RetryScheduled // the try that was announced after it
	Retried  bool            // that try has begun, or the run is over
	Usage    *providers.Usage
}

// CallState is where a tool call stands.
type CallState string

const (
	CallRequested CallState = "requested"
	CallRunning   CallState = "running"
	CallFinished  CallState = "finished" // see Outcome
)

// A CallsItem is the calls that followed one another with nothing shown between
// them, oldest first. It holds at least one.
type CallsItem struct {
	Calls []*CallItem
}

// A CallItem is a tool call. It is in a [CallsItem] from the moment it starts,
// or ends without having run; a call that was not allowed is told of by its
// card.
type CallItem struct {
	ToolCallRequested
	State   CallState
	Outcome CallOutcome
	Result  string
	At      time.Time // started
	Took    time.Duration
	Again   bool
	// Decision is nil until the call is decided on. One without an interaction
	// was made without a card.
	Decision  *ApprovalDecision
	DecidedAt time.Time
	Review    *ApprovalDecision // the reviewer's, where it was unsure
}

// An ApprovalItem is the card of a step's calls.
type ApprovalItem struct {
	Interaction InteractionID
	Run         RunID
	Calls       []*ApprovalCall
	ExpiresAt   time.Time
	Closed      Closing // "" while it waits
	At          time.Time
}

// An ApprovalCall is one call on a card.
type ApprovalCall struct {
	*CallItem
	Binding string
	Rule    string // the policy rule that wants a person each time, "" for none
}

// Grantable reports whether a grant may come with a verdict on the call.
func (c *ApprovalCall) Grantable() bool { return c.Rule == "" && c.CallItem.Grantable() }

// A QuestionItem is the card of a call's questions.
type QuestionItem struct {
	Interaction InteractionID
	Run         RunID
	Call        *CallItem
	Questions   []Question
	ExpiresAt   time.Time
	Answer      *QuestionAnswered // nil until answered
	AnsweredAt  time.Time
	Closed      Closing // "" while it waits
	At          time.Time
}

// A ReconcileItem asks what became of a call.
type ReconcileItem struct {
	Interaction InteractionID
	Run         RunID
	Call        *CallItem
	Lost        bool               // the connection to the tool, and not the server
	Answer      *ReconcileAnswered // nil until answered
	AnsweredAt  time.Time
	Closed      Closing // "" while it waits
	At          time.Time
}

// A SafetyItem asks whether a run goes on that was stopped for safety.
type SafetyItem struct {
	SafetyRequested
	Run        RunID
	Repeated   *CallItem       // of a loop, nil otherwise
	Answer     *SafetyAnswered // nil until answered
	AnsweredAt time.Time
	Closed     Closing // "" while it waits
	At         time.Time
}

// A NoticeItem says how a run ended where that is not plain from its answer.
type NoticeItem struct {
	Run        RunID
	Status     RunStatus
	StopReason string
	Failure    *Failure
	By         *Actor
	At         time.Time
}

func (i *ReasoningItem) Key() string { return string(i.Attempt) + "-reasoning" }
func (i *AttemptItem) Key() string   { return string(i.Attempt) }
func (i *CallsItem) Key() string     { return string(i.Calls[0].Call) + "-calls" }
func (i *ApprovalItem) Key() string  { return string(i.Interaction) }
func (i *QuestionItem) Key() string  { return string(i.Interaction) }
func (i *ReconcileItem) Key() string { return string(i.Interaction) }
func (i *SafetyItem) Key() string    { return string(i.Interaction) }
func (i *NoticeItem) Key() string    { return string(i.Run) + "-end" }
