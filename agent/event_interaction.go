package agent

import "time"

// ApprovalRequested puts the calls of a step to a person. Nothing of the step
// runs before all of them are decided.
type ApprovalRequested struct {
	Interaction InteractionID `json:"interaction_id"`
	Calls       []BoundCall   `json:"calls"`
	ExpiresAt   time.Time     `json:"expires_at"` // never reset
}

// A BoundCall is a call with the binding that a decision on it covers.
type BoundCall struct {
	Call    CallID `json:"call_id"`
	Binding string `json:"binding"`
	// Rule is the policy rule that wants a person each time, "" where none does.
	// A grant neither comes with such a call nor allows it.
	Rule string `json:"rule,omitempty"`
}

// Verdict is what was decided on a call (contract V15).
type Verdict string

const (
	VerdictAllow  Verdict = "allow"
	VerdictDeny   Verdict = "deny"
	VerdictUnsure Verdict = "unsure"
)

// Origin is who or what decided (contract V17).
type Origin string

const (
	OriginHuman      Origin = "human"
	OriginHardPolicy Origin = "hard_policy"
	// OriginApplicationPolicy also decides a card that nobody answered in time,
	// and is the origin of what a program decides with a key.
	OriginApplicationPolicy Origin = "application_policy"
	OriginGrant             Origin = "session_grant"
	OriginReviewer          Origin = "reviewer"
	OriginBypass            Origin = "bypass"
)

// ApprovalDecision is the verdict on one call (contract V14). Reading one
// never approves anything (contract V18).
type ApprovalDecision struct {
	Interaction InteractionID `json:"interaction_id,omitempty"` // "" where no card was shown
	Call        CallID        `json:"call_id"`
	Tool        string        `json:"tool"`
	Binding     string        `json:"binding"`
	Verdict     Verdict       `json:"verdict"`
	Origin      Origin        `json:"origin"`
	Reason      string        `json:"reason,omitempty"` // at most MaxReason characters (contract V20)
	By          Actor         `json:"by"`
	// Arguments run in place of those that were sent, "" where a person changed
	// nothing. The binding is then of these.
	Arguments string `json:"arguments,omitempty"`
	// Grant is the standing permission that came with the verdict, or that gave
	// it; GrantedAt is when that or the bypass was given, zero where it came with
	// this card.
	Grant     GrantID   `json:"grant_id,omitempty"`
	GrantedAt time.Time `json:"granted_at,omitzero"`
	// Rule is the name of the policy rule that gave the verdict.
	Rule string `json:"rule,omitempty"`
	// Reviewer is the model that gave the verdict, and Fault why it gave none.
	Reviewer *ModelRef   `json:"reviewer,omitempty"`
	Fault    ReviewFault `json:"fault,omitempty"`
}

// Lapsed reports whether the verdict only says that nobody gave one in time.
func (d ApprovalDecision) Lapsed() bool {
	return d.Origin == OriginApplicationPolicy && d.Interaction != "" && d.By == (Actor{})
}

// ReconcileRequested asks a person about a call that had begun when the server
// stopped. It never expires.
type ReconcileRequested struct {
	Interaction InteractionID `json:"interaction_id"`
	Call        CallID        `json:"call_id"`
	// Lost says that the connection to whoever carried the call out was lost,
	// and not that this server stopped.
	Lost bool `json:"lost,omitempty"`
}

// ReconcileAnswer is what a person knows about a call of unknown outcome.
type ReconcileAnswer string

const (
	ReconcileHappened    ReconcileAnswer = "happened"
	ReconcileNotHappened ReconcileAnswer = "not_happened"
	ReconcileRunAgain    ReconcileAnswer = "run_again"
)

// ReconcileAnswered settles such a call.
type ReconcileAnswered struct {
	Interaction InteractionID   `json:"interaction_id"`
	Call        CallID          `json:"call_id"`
	Answer      ReconcileAnswer `json:"answer"`
	Note        string          `json:"note,omitempty"`
	By          Actor           `json:"by"`
}

// Closing says how an interaction ended.
type Closing string

const (
	ClosedDecided   Closing = "decided"
	ClosedExpired   Closing = "expired"
	ClosedWithdrawn Closing = "withdrawn" // the run was stopped
)

// InteractionClosed ends an interaction. It happens once.
type InteractionClosed struct {
	Interaction InteractionID `json:"interaction_id"`
	How         Closing       `json:"how"`
}

func (ApprovalRequested) Kind() Kind  { return "approval_requested" }
func (ApprovalDecision) Kind() Kind   { return "approval_decision" }
func (ReconcileRequested) Kind() Kind { return "reconcile_requested" }
func (ReconcileAnswered) Kind() Kind  { return "reconcile_answered" }
func (InteractionClosed) Kind() Kind  { return "interaction_closed" }

// Told is an event as anybody but an admin may see it: which of the rules that
// nothing overrides refused a call is for admins (contract V24).
func Told(e Event) Event {
	if d, ok := e.(ApprovalDecision); ok && d.Origin == OriginHardPolicy {
		d.Rule = ""
		return d
	}
	return e
}
