package models

import (
	"fmt"
	"time"

	"countersign/agent"
	"countersign/providers"
)

// ProviderOptions tune a connection. A zero field leaves it to whoever uses
// the provider. An option of one API is refused with another.
type ProviderOptions struct {
	// StreamUsage asks for counts at the end of a stream, nil for the API's
	// default. Only Chat Completions has it (contract P20, P21).
	StreamUsage *bool
	// PromptCaching has the service keep the start of a conversation, nil for
	// yes. Only Anthropic has it (contract P24, P25).
	PromptCaching *bool
	// Thinking tells models to think before they answer, nil to leave it to
	// them. Only Anthropic has it (contract R7, R8).
	Thinking *providers.Thinking
	// OutputLimitField is what the limit on output is called, "" to choose by
	// the address. Only Chat Completions has it.
	OutputLimitField string
	MaxOutputTokens  int
	Retry            agent.RetryPolicy
	Timeouts         Timeouts
	Models           []ProviderModel // the first one is the default
}

// What the limit on output can be called.
const (
	OutputLimitMaxTokens           = "max_tokens"
	OutputLimitMaxCompletionTokens = "max_completion_tokens"
)

// Timeouts bound an attempt.
type Timeouts struct {
	FirstByte time.Duration
	Idle      time.Duration
	Attempt   time.Duration
}

// A ProviderUpdate changes a provider. A nil field keeps what is stored
// (contract R16, P21, P25).
type ProviderUpdate struct {
	Name                *string
	BaseURL             *string
	AllowPrivateNetwork *bool
	Credential          *Credential
	StreamUsage         *bool
	PromptCaching       *bool
	Thinking            *providers.Thinking // one without a type takes the setting away
	OutputLimitField    *string
	MaxOutputTokens     *int
	Retry               *agent.RetryPolicy
	Timeouts            *Timeouts
	Models              *[]ProviderModel
}

func (u ProviderUpdate) apply(p *Provider) {
	set(&p.Name, u.Name)
	set(&p.BaseURL, u.BaseURL)
	set(&p.AllowPrivateNetwork, u.AllowPrivateNetwork)
	set(&p.OutputLimitField, u.OutputLimitField)
	set(&p.MaxOutputTokens, u.MaxOutputTokens)
	set(&p.Retry, u.Retry)
	set(&p.Timeouts, u.Timeouts)
	set(&p.Models, u.Models)
	if u.StreamUsage != nil {
		p.StreamUsage = u.StreamUsage
	}
	if u.PromptCaching != nil {
		p.PromptCaching = u.PromptCaching
	}
	if u.Thinking != nil {
		p.Thinking = u.Thinking
		if u.Thinking.Type == "" {
			p.Thinking = nil
		}
	}
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

const (
	// MaxRetries is how often a provider may be asked again.
	MaxRetries = 5
	// MaxThinkingBudget is the largest budget for thinking, in tokens.
	MaxThinkingBudget = 1 << 20
)

func (o ProviderOptions) check(api providers.API, v Invalid) {
	v.check("models", checkModels(o.Models))
	if o.StreamUsage != nil && api != providers.APIChatCompletions {
		v["stream_usage"] = "Only Chat Completions has this option."
	}
	if o.PromptCaching != nil && api != providers.APIAnthropic {
		v["prompt_caching"] = "Only Anthropic has this option."
	}
	v.check("thinking", checkThinking(o.Thinking, api))
	v.check("output_limit_field", checkOutputLimit(o.OutputLimitField, api))
	if o.MaxOutputTokens < 0 {
		v["max_output"] = "Enter a whole number above zero, or nothing."
	}
	if n := o.Retry.MaxRetries; n != nil && (*n < 0 || *n > MaxRetries) {
		v["retry"] = fmt.Sprintf("There can be %d retries at most.", MaxRetries)
	}
	for _, d := range []time.Duration{o.Retry.Base, o.Retry.Cap, o.Retry.AfterCap} {
		if d < 0 {
			v["retry"] = "A delay can't be negative."
		}
	}
	for _, d := range []time.Duration{o.Timeouts.FirstByte, o.Timeouts.Idle, o.Timeouts.Attempt} {
		if d < 0 {
			v["timeouts"] = "A time limit can't be negative."
		}
	}
}

func checkThinking(t *providers.Thinking, api providers.API) string {
	switch {
	case t == nil:
		return ""
	case api != providers.APIAnthropic:
		return "Only Anthropic has this option."
	}
	switch t.Type {
	case providers.ThinkingEnabled:
		if t.BudgetTokens < providers.MinThinkingBudget || t.BudgetTokens > MaxThinkingBudget {
			return fmt.Sprintf("The budget for thinking is %d to %d tokens.", providers.MinThinkingBudget, MaxThinkingBudget)
		}
	case providers.ThinkingAdaptive, providers.ThinkingDisabled:
		if t.BudgetTokens != 0 {
			return "Only thinking of type enabled has a budget."
		}
	default:
		return "Thinking is adaptive, enabled or disabled."
	}
	return ""
}

func checkOutputLimit(field string, api providers.API) string {
	switch field {
	case "":
		return ""
	case OutputLimitMaxTokens, OutputLimitMaxCompletionTokens:
		if api == providers.APIChatCompletions {
			return ""
		}
		return "Only Chat Completions has this option."
	}
	return fmt.Sprintf("The limit is called %s or %s.", OutputLimitMaxTokens, OutputLimitMaxCompletionTokens)
}
