package agent

import (
	"context"
	"fmt"
	"time"
)

// A Webhook asks an HTTP endpoint. It gets what is to be judged and answers with
// a verdict; anything else counts as a block.
type Webhook struct {
	URL                 string        `json:"url"`
	Over                []Subject     `json:"over,omitempty"`       // empty for all
	Timeout             time.Duration `json:"timeout_ns,omitempty"` // 0 is DefaultWebhook
	AllowPrivateNetwork bool          `json:"allow_private_network,omitempty"`
}

const (
	// DefaultWebhook is how long a webhook may take, unless it says otherwise
	// within the bounds.
	DefaultWebhook = 10 * time.Second
	MinWebhook     = time.Second
	MaxWebhook     = time.Minute
	// MaxInspection is the largest candidate that a webhook is asked about, in
	// bytes as it is sent. A larger one counts as blocked.
	MaxInspection = 4 << 20
)

// Limit returns how long it may take.
func (w Webhook) Limit() time.Duration {
	if w.Timeout == 0 {
		return DefaultWebhook
	}
	return w.Timeout
}

func (w Webhook) problems(p map[string]string) {
	subjects(p, w.Over)
	if w.URL == "" {
		p["url"] = "Enter the address of the webhook."
	}
	if t := w.Limit(); t < MinWebhook || t > MaxWebhook {
		p["timeout"] = fmt.Sprintf("Enter a time from %s to 1m.", MinWebhook)
	}
}

// An Inspector asks webhooks. It must be safe for use by multiple goroutines.
type Inspector interface {
	// Inspect returns whether a webhook allows a candidate, within the time that
	// it may take. An error says that there is no verdict, in words that hold
	// nothing of the candidate.
	Inspect(ctx context.Context, w Webhook, in Inspection) (allowed bool, err error)
}

// An Inspection is what a webhook is asked about.
type Inspection struct {
	Guardrail    string         `json:"guardrail"`
	Agent        string         `json:"agent"`
	Conversation ConversationID `json:"conversation_id"`
	Run          RunID          `json:"run_id"`
	Attempt      AttemptID      `json:"attempt_id"`
	Candidate
}
