package agent

// RunCreated accepts a message: the run is pending.
type RunCreated struct {
	Message   MessageID     `json:"message_id"`
	AgentName string        `json:"agent_name"`
	Model     ModelRef      `json:"model"`
	Output    OutputOptions `json:"output"`
}

// RunStarted says that a worker holds the run. Every worker has an epoch of
// its own; an append of an older epoch is refused.
type RunStarted struct {
	Epoch int    `json:"epoch"`
	Boot  string `json:"boot"` // the server process
	// Reclaimed says that an earlier worker was cut off in the middle of an
	// attempt or a tool call. One that was asked to stop ends its attempt first.
	Reclaimed bool `json:"reclaimed,omitempty"`
}

// RunWaiting hands the run to a person.
type RunWaiting struct {
	For RunStatus `json:"for"` // StatusWaitingApproval or StatusWaitingInput
}

// RunResumed makes a waiting run pending again.
type RunResumed struct {
	Reason string `json:"reason"` // decided, expired, answered
}

// RunFinished ends a run.
type RunFinished struct {
	Status RunStatus `json:"status"` // StatusSucceeded, StatusFailed or StatusCancelled
	// Answer is the attempt whose committed text is the answer, "" when the
	// run has none.
	Answer     AttemptID `json:"answer,omitempty"`
	StopReason string    `json:"stop_reason,omitempty"`
	Failure    *Failure  `json:"failure,omitempty"`
	By         *Actor    `json:"by,omitempty"` // who stopped it
}

// stopTurnLimit is the stop reason of a run that made all its model calls. Other
// stop reasons are those of the provider.
const stopTurnLimit = "turn_limit"

func (RunCreated) Kind() Kind  { return "run_created" }
func (RunStarted) Kind() Kind  { return "run_started" }
func (RunWaiting) Kind() Kind  { return "run_waiting" }
func (RunResumed) Kind() Kind  { return "run_resumed" }
func (RunFinished) Kind() Kind { return "run_finished" }

// A Failure says why a run failed: a code of ours and, where an attempt was
// the cause, its diagnostic (contract D1, D8).
type Failure struct {
	Code     string         `json:"code"`
	Provider *ProviderError `json:"provider_error,omitempty"`
}

// The codes of a Failure.
const (
	FailProvider  = "provider_error"   // the last attempt failed; see Provider
	FailTurnLimit = "turn_limit"       // no model calls were left, and no summary came
	FailReclaimed = "reclaimed"        // workers lost it too often without progress
	FailNoAgent   = "agent_removed"    // nobody was there to answer
	FailFull      = "disk_full"        // there was no room for what it did
	FailBlocked   = "output_blocked"   // guardrails withheld every candidate
	FailGuardrail = "guardrail_failed" // the last guardrail asked gave no verdict, which counts as a block
	FailLoop      = "loop"             // the same call came again and again
	FailInternal  = "internal"         // a fault of ours; the log has the detail
)
