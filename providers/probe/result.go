package probe

import (
	"slices"

	"countersign/providers"
)

// A Step is one thing that has to hold. The values are shown to programs; they
// never change.
type Step string

// The steps, in the order in which they are tried.
const (
	StepName    Step = "name"    // the host has an address
	StepAddress Step = "address" // Countersign connects there at all
	StepConnect Step = "connect" // something listens there
	StepTLS     Step = "tls"     // and is who it says it is
	StepAnswer  Step = "answer"  // it answers, and is not out of order
	StepKey     Step = "key"     // the key is there, and accepted
	StepPath    Step = "path"    // it is this API that answers
	StepModel   Step = "model"   // the model exists
	StepStream  Step = "stream"  // its answer comes in pieces, to the end
	StepTools   Step = "tools"   // it takes descriptions of tools
	StepUsage   Step = "usage"   // it says what an answer used
)

var steps = []Step{
	StepName, StepAddress, StepConnect, StepTLS, StepAnswer, StepKey, StepPath, StepModel, StepStream, StepTools, StepUsage,
}

// A State is how a step went. The values are shown to programs; they never
// change.
type State string

const (
	Passed  State = "passed"
	Failed  State = "failed"
	Warned  State = "warned"  // the connection works without it
	Skipped State = "skipped" // nothing was seen of it
)

// A Check is a step and how it went.
type Check struct {
	Step  Step  `json:"step"`
	State State `json:"state"`
}

// Codes of failures that only a probe finds.
const (
	// CodeNoModel says that there is no model yet that could be asked.
	CodeNoModel = "no_model"
	// CodeToolsRefused says that a model answers, but not where a tool is
	// declared.
	CodeToolsRefused = "tools_refused"
)

// A Result is what a probe has found.
type Result struct {
	Checks []Check
	// Failure is why the failed step failed, nil if there is none.
	Failure   *providers.Error
	RequestID string // of the answer, "" if the service names none
	// Models are the ids that the service lists, nil if it lists none.
	Models []string
}

func (r *Result) set(state State, list ...Step) {
	for i := range r.Checks {
		if slices.Contains(list, r.Checks[i].Step) {
			r.Checks[i].State = state
		}
	}
}

// omitSkipped leaves out those of the steps that nothing was seen of.
func (r *Result) omitSkipped(list []Step) {
	r.Checks = slices.DeleteFunc(r.Checks, func(c Check) bool { return c.State == Skipped && slices.Contains(list, c.Step) })
}

// fail notes why a step failed. Whatever is not known to have passed stays
// skipped.
func (r *Result) fail(step Step, why *providers.Error) {
	r.set(Failed, step)
	r.Failure = why
}
