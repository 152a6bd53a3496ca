package agent

import (
	"time"

	"countersign/providers"
)

// ModelAttemptStarted begins one try of a model call (contract A17).
type ModelAttemptStarted struct {
	Attempt AttemptID `json:"attempt_id"`
	Step    int       `json:"step"`   // the model call in its run, from 1
	Number  int       `json:"number"` // the try of this model call, from 1
	Of      int       `json:"of"`     // the most tries it may have
	// Summary marks the call after the last one that the run may make: it asks
	// what was done and what is left.
	Summary bool `json:"summary,omitempty"`
}

// AttemptOutcome says how an attempt ended.
type AttemptOutcome string

const (
	AttemptCompleted AttemptOutcome = "completed"
	AttemptFailed    AttemptOutcome = "failed"
	// AttemptInterrupted is an end that is nobody's fault: a cancel or a
	// stopped server. It does not use up a try.
	AttemptInterrupted AttemptOutcome = "interrupted"
	// AttemptWithheld is the end of a response that was complete, and that a
	// guardrail kept back; see [OutputWithheld].
	AttemptWithheld AttemptOutcome = "withheld"
)

// ModelAttemptFinished ends an attempt (contract A21). Unless it completed,
// its text and reasoning are gone (contract A9).
type ModelAttemptFinished struct {
	Attempt    AttemptID      `json:"attempt_id"`
	Outcome    AttemptOutcome `json:"outcome"`
	DurationMS int64          `json:"duration_ms"`
}

// ProviderError describes a failed attempt and nothing else of it
// (contract A22, D2, D5).
type ProviderError struct {
	Attempt      AttemptID          `json:"attempt_id"`
	Category     providers.Category `json:"category"`
	Retryable    bool               `json:"retryable"`
	HTTPStatus   int                `json:"http_status,omitempty"`
	API          providers.API      `json:"api,omitempty"`
	RequestID    string             `json:"request_id,omitempty"`
	Code         string             `json:"code,omitempty"`
	RetryAfterMS int64              `json:"retry_after_ms,omitempty"`
}

// RetryScheduled comes before the wait for the next attempt.
type RetryScheduled struct {
	Attempt AttemptID `json:"attempt_id"` // the one that failed
	Number  int       `json:"number"`     // of the try to come
	Of      int       `json:"of"`
	DelayMS int64     `json:"delay_ms"`
	At      time.Time `json:"at"`
}

// ReasoningDisplayLimited says that the display bound on reasoning was reached
// (contract A23, R3).
type ReasoningDisplayLimited struct {
	Attempt AttemptID `json:"attempt_id"`
}

// ModelUsage counts the tokens of an attempt as far as the provider told them
// (contract A24, P23). Every attempt that may have cost something has one: one
// that was cut off may have no count in it.
type ModelUsage struct {
	Attempt AttemptID `json:"attempt_id"`
	Model   ModelRef  `json:"model"`
	providers.Usage
	// CostNanoUSD is what the attempt cost at the prices of its time, in
	// billionths of a US dollar; nil is unknown.
	CostNanoUSD *int64 `json:"cost_nano_usd"`
}

func (ModelAttemptStarted) Kind() Kind     { return "model_attempt_started" }
func (ModelAttemptFinished) Kind() Kind    { return "model_attempt_finished" }
func (ProviderError) Kind() Kind           { return "provider_error" }
func (RetryScheduled) Kind() Kind          { return "retry_scheduled" }
func (ReasoningDisplayLimited) Kind() Kind { return "reasoning_display_limited" }
func (ModelUsage) Kind() Kind              { return "model_usage" }
