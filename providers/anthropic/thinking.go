package anthropic

import "countersign/providers"

type wireThinking struct {
	Type         providers.ThinkingType `json:"type"`
	BudgetTokens int                    `json:"budget_tokens,omitempty"`
	Display      string                 `json:"display,omitempty"`
}

// summarized asks for the text of thinking, which newer models else leave out.
const summarized = "summarized"

// think returns the setting for a request with this output limit, nil for
// none. A budget is a ceiling below the limit; where the smallest one and a
// token of answer don't fit, the request goes without (contract R9, R10).
// Leaving it out is not the same as disabled: the model does what it does by
// itself (R14).
func (d dialect) think(req providers.Request, limit int) *wireThinking {
	if d.thinking == nil || req.OmitThinking {
		return nil
	}
	w := &wireThinking{Type: d.thinking.Type}
	if w.Type == providers.ThinkingEnabled {
		w.BudgetTokens = min(d.thinking.BudgetTokens, limit-1)
		if w.BudgetTokens < providers.MinThinkingBudget {
			return nil
		}
	}
	if req.Reasoning && w.Type != providers.ThinkingDisabled {
		w.Display = summarized
	}
	return w
}
