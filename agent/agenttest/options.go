package agenttest

import (
	"fmt"
	"strconv"
	"time"

	"countersign/agent"
	"countersign/providers"
)

// Options are what a scenario may change.
type Options struct {
	Output  agent.OutputOptions
	Limits  agent.Limits
	Retries *int             // nil for the default
	Refused *providers.Error // what connecting gives, nil when it works
	Rules   agent.Policy
	// Reviewer is the model that judges calls, zero for none.
	Reviewer agent.ModelRef
	Safety   agent.Safety
	// Signed has the provider sign every batch of calls.
	Signed bool
	// Hooks says what a webhook does, by its address.
	Hooks map[string]string
}

// ParseOptions reads the section of options, one a line.
//
//	reasoning            ask to see reasoning
//	buffer_attempts      show completed attempts only
//	model_calls 3        of a run
//	approval 1m          until a card expires
//	question 1m          until a question does
//	retries 0            of a model call
//	reviewer             calls are judged by the model "judge"
//	review 5s            for at most this long
//	no_key               the provider has no key
//	signed               the provider signs every batch of calls
//	guard NAME pattern "x" [answer …]            see [agent.Guardrail]
//	guard NAME forbid save $.n ["x"]             or require
//	guard NAME rewrite save $.n 5 ["x"]
//	guard NAME webhook allows [answer …]         or fails, hangs, blocks "x"
//	blocked_retries 0    after output was withheld
//	same_calls 2         that a run may make
//	ask_safety           a person says whether a run goes on that is stopped
//	forbid save          a rule named "no save" that nothing overrides
//	rule NAME ask save   or allow or deny, or forbid for one that nothing
//	                     overrides; of the tools of that name, of those of
//	                     role=member, agent=agent or connector=shop, and where
//	                     the arguments have $.n=1
func ParseOptions(text string) (Options, error) {
	var o Options
	for _, line := range lines(text) {
		words, err := split(line)
		if err != nil {
			return o, err
		}
		if err := o.set(words); err != nil {
			return o, fmt.Errorf("option %s: %w", line, err)
		}
	}
	return o, nil
}

func (o *Options) set(words []string) (err error) {
	name, value := shift(&words), shift(&words)
	if name == "guard" {
		return o.guard(value, words)
	}
	if name == "rule" || name == "forbid" {
		rule, err := parseRule(name, value, words)
		o.Rules = append(o.Rules, rule)
		return err
	}
	if len(words) > 0 {
		return fmt.Errorf("too many words")
	}
	switch name {
	case "reasoning":
		o.Output.Reasoning = true
	case "buffer_attempts":
		o.Output.BufferAttempts = true
	case "reviewer":
		o.Reviewer = agent.ModelRef{Provider: "r", ProviderName: "Reviewer", Model: "judge"}
	case "review":
		o.Limits.Review, err = time.ParseDuration(value)
	case "signed":
		o.Signed = true
	case "ask_safety":
		o.Safety.Ask = true
	case "blocked_retries":
		o.Safety.MaxRetries, err = number(value)
	case "same_calls":
		o.Safety.SameCalls, err = number(value)
	case "no_key":
		o.Refused = &providers.Error{Category: providers.CategoryConfiguration, Code: "missing_key"}
	case "model_calls":
		o.Limits.ModelCalls, err = strconv.Atoi(value)
	case "approval":
		o.Limits.Approval, err = time.ParseDuration(value)
	case "question":
		o.Limits.Question, err = time.ParseDuration(value)
	case "retries":
		o.Retries, err = number(value)
	default:
		return fmt.Errorf("there is none of this name")
	}
	return err
}

func number(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	return &n, err
}
