package providers

// Thinking is how a model is told to think before it answers (contract R7).
// Only the Anthropic API has the setting; without it the model does what it
// does by itself (R14).
type Thinking struct {
	Type ThinkingType `json:"type"`
	// BudgetTokens bounds the thinking of type enabled, and is at least
	// [MinThinkingBudget] (R8). It is a ceiling: each call clamps it to below
	// its own output limit, and leaves the setting out where it can't fit
	// (R9, R10).
	BudgetTokens int `json:"budget_tokens,omitempty"`
}

// A ThinkingType names a mode. The values are stored and sent.
type ThinkingType string

const (
	ThinkingAdaptive ThinkingType = "adaptive"
	ThinkingEnabled  ThinkingType = "enabled"
	ThinkingDisabled ThinkingType = "disabled"
)

// MinThinkingBudget is the smallest budget that the API takes.
const MinThinkingBudget = 1024
