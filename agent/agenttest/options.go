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
	case "no_key":
		o.Refused = &providers.Error{Category: providers.CategoryConfiguration, Code: "missing_key"}
	case "model_calls":
		o.Limits.ModelCalls, err = strconv.Atoi(value)
	case "approval":
		o.Limits.Approval, err = time.ParseDuration(value)
	case "question":
		o.Limits.Question, err = time.ParseDuration(value)
	case "retries":
		var n int
		n, err = strconv.Atoi(value)
		o.Retries = &n
	default:
		return fmt.Errorf("there is none of this name")
	}
	return err
}
