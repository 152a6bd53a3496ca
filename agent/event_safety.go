package agent

// OutputWithheld says which guardrail kept back what an attempt produced. It
// holds nothing of it: neither does any other record (contract R19, R20).
type OutputWithheld struct {
	Attempt   AttemptID     `json:"attempt_id"`
	Guardrail string        `json:"guardrail"` // name
	How       GuardrailKind `json:"how"`
	Subject   Subject       `json:"subject,omitempty"` // "" where it is not known which
	// Failed says that the guardrail gave no verdict, which counts as a block.
	Failed bool `json:"failed,omitempty"`
	// Signed says that the guardrail would only have changed arguments, of calls
	// that are bound as they are (contract P31).
	Signed bool `json:"signed,omitempty"`
}

// SafetyRequested stops a run until a person says whether it goes on
// (contract V4). It never expires: while it waits, nothing happens.
type SafetyRequested struct {
	Interaction InteractionID `json:"interaction_id"`
	Cause       SafetyCause   `json:"cause"`
	// Withheld is the last candidate that was kept back, nil for a loop. Times is
	// how many were since a person was last asked, or how often a call came.
	Withheld *OutputWithheld `json:"withheld,omitempty"`
	Times    int             `json:"times"`
	// Call is the newest of the calls that are alike, "" unless it is a loop.
	Call CallID `json:"call_id,omitempty"`
}

// SafetyCause is why a run is stopped for a person. A run that ends for it has
// it as the code of its [Failure].
type SafetyCause string

const (
	SafetyBlocked SafetyCause = FailBlocked   // every candidate was blocked
	SafetyFailed  SafetyCause = FailGuardrail // the last guardrail gave no verdict
	SafetyLoop    SafetyCause = FailLoop      // the same call came again and again
)

// SafetyAnswer is what a person wants of a run that was stopped for safety.
type SafetyAnswer string

const (
	// SafetyContinue has the model asked again, or the call made. The limit
	// counts from there.
	SafetyContinue SafetyAnswer = "continue"
	SafetyStop     SafetyAnswer = "stop" // the run fails, as if nobody had been asked
)

// SafetyAnswered settles it.
type SafetyAnswered struct {
	Interaction InteractionID `json:"interaction_id"`
	Answer      SafetyAnswer  `json:"answer"`
	By          Actor         `json:"by"`
}

func (OutputWithheld) Kind() Kind  { return "output_withheld" }
func (SafetyRequested) Kind() Kind { return "safety_requested" }
func (SafetyAnswered) Kind() Kind  { return "safety_answered" }
