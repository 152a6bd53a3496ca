package agent

import "slices"

// RunStatus is where a run stands.
type RunStatus string

const (
	// StatusNone is the status of a run that does not exist yet.
	StatusNone            RunStatus = ""
	StatusPending         RunStatus = "pending" // a worker may take it
	StatusRunning         RunStatus = "running"
	StatusWaitingApproval RunStatus = "waiting_approval" // a person decides on calls
	StatusWaitingInput    RunStatus = "waiting_input"    // a person answers
	StatusSucceeded       RunStatus = "succeeded"
	StatusFailed          RunStatus = "failed"
	StatusCancelled       RunStatus = "cancelled"
)

// Statuses lists every status.
var Statuses = []RunStatus{StatusNone, StatusPending, StatusRunning, StatusWaitingApproval, StatusWaitingInput, StatusSucceeded, StatusFailed, StatusCancelled}

// Terminal reports whether the run is over.
func (s RunStatus) Terminal() bool {
	return s == StatusSucceeded || s == StatusFailed || s == StatusCancelled
}

// Waiting reports whether the run waits for a person. Such a run holds no
// goroutine and no lease: it is rows.
func (s RunStatus) Waiting() bool {
	return s == StatusWaitingApproval || s == StatusWaitingInput
}

// moves is the table of legal moves: the kinds of events that a run may get in
// each status. Kinds that belong to no run are not in it.
var moves = map[RunStatus][]Kind{
	StatusNone:    {"user_message", "run_created"},
	StatusPending: {"run_started", "run_finished", "tool_call_finished"},
	StatusRunning: {
		"run_started", "run_waiting", "run_finished",
		"model_attempt_started", "model_attempt_finished", "provider_error", "retry_scheduled",
		"reasoning_display_limited", "model_usage", "assistant_message",
		"tool_call_requested", "tool_call_started", "tool_call_finished",
		"approval_requested", "approval_decision", "review_started", "question_asked", "reconcile_requested", "output_withheld", "safety_requested",
	},
	StatusWaitingApproval: {"approval_decision", "grant_created", "interaction_closed", "run_resumed", "tool_call_finished", "run_finished"},
	StatusWaitingInput:    {"question_answered", "reconcile_answered", "safety_answered", "interaction_closed", "run_resumed", "tool_call_finished", "run_finished"},
}

// Legal reports whether a run with this status may get an event of this kind.
// A run that is over gets none.
func Legal(s RunStatus, k Kind) bool { return slices.Contains(moves[s], k) }

// next returns the status after an event. The event must be legal.
func (s RunStatus) next(e Event) RunStatus {
	switch e := e.(type) {
	case RunCreated:
		return StatusPending
	case RunStarted:
		return StatusRunning
	case RunWaiting:
		return e.For
	case RunResumed:
		return StatusPending
	case RunFinished:
		return e.Status
	}
	return s
}
