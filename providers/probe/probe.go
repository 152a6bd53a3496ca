// Package probe tries a connection step by step, so that an admin learns not
// only that it does not work but where it ends.
package probe

import (
	"context"
	"encoding/json"
	"errors"

	"countersign/providers"
	"countersign/providers/upstream"
)

// A Step is one thing that has to hold.
type Step string

// The steps, in the order in which they are tried.
const (
	StepAddress Step = "address" // Countersign connects there at all
	StepName    Step = "name"    // the host has an address
	StepConnect Step = "connect" // something listens there
	StepTLS     Step = "tls"     // and is who it says it is
	StepKey     Step = "key"     // the key is there, and accepted
	StepPath    Step = "path"    // it is this API that answers
	StepModel   Step = "model"   // the model exists
	StepStream  Step = "stream"  // it answers, piece by piece, to the end
	StepTools   Step = "tools"   // it takes descriptions of tools
	StepUsage   Step = "usage"   // it says what an answer cost
)

var steps = []Step{StepAddress, StepName, StepConnect, StepTLS, StepKey, StepPath, StepModel, StepStream, StepTools, StepUsage}

// A State is how a step went.
type State string

const (
	Passed  State = "passed"
	Failed  State = "failed"
	Warned  State = "warned"  // the connection works without it
	Skipped State = "skipped" // an earlier one failed, or it can't be told
)

// A Check is a step and how it went.
type Check struct {
	Step  Step
	State State
}

// A Result is what a probe has found.
type Result struct {
	Checks []Check
	// Failure is why the failed step failed, or the connection could not be
	// tried to its end; nil if the connection works.
	Failure   *providers.Error
	RequestID string
	// Models are those that the service says it has, nil if it does not say.
	Models []string
}

// answerTokens is what the test asks for: enough for a word. A model that
// thinks first may use it up, which proves the connection as well.
const answerTokens = 64

// Run tries a connection with a model: a list, a short answer, and if that
// comes, another one with a tool declared. It returns when the context ends,
// with what it has by then; the error is the context's cause when the caller
// gave up.
func Run(ctx context.Context, p providers.Provider, model string) (Result, error) {
	var r Result
	finish, err := ask(ctx, p, model, nil)
	failure, err := failureOf(ctx, err)
	if err != nil {
		return r, err
	}
	if failure != nil {
		r.Failure = failure
		r.Checks = until(stepOf(failure), Failed)
	} else {
		r.RequestID = finish.RequestID
		r.Checks = until(StepTools, Skipped)
		r.set(StepTools, tools(ctx, p, model))
		r.set(StepUsage, Passed)
		if !finish.Usage.Known() {
			r.set(StepUsage, Warned)
		}
	}
	if lister, ok := p.(providers.ModelLister); ok && reached(failure) {
		r.Models, _ = lister.Models(ctx) // a service without a list works as well
	}
	return r, nil
}

// ask performs a short request to the end of its stream.
func ask(ctx context.Context, p providers.Provider, model string, tools []providers.ToolSpec) (providers.Finish, error) {
	req := providers.Request{
		Model: model, Messages: []providers.Message{providers.UserMessage{Text: "Reply with the word OK."}},
		Tools: tools, Attempt: 1, MaxOutputTokens: answerTokens, OmitThinking: true,
	}
	var finish providers.Finish
	for event, err := range p.Stream(ctx, req) {
		if err != nil {
			return finish, err
		}
		if f, ok := event.(providers.Finish); ok {
			finish = f
		}
	}
	return finish, nil
}

// tools tells whether the model takes tools. Only a request that is refused for
// what it says shows that it does not.
func tools(ctx context.Context, p providers.Provider, model string) State {
	noop := providers.ToolSpec{Name: "noop", Description: "Does nothing.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
	_, err := ask(ctx, p, model, []providers.ToolSpec{noop})
	var failure *providers.Error
	switch {
	case err == nil:
		return Passed
	case errors.As(err, &failure) && (failure.Category == providers.CategoryInvalidRequest || failure.Category == providers.CategoryNotFound):
		return Warned
	}
	return Skipped
}

// failureOf tells what the connection did from what the caller did: a deadline
// is the connection's fault, a cancelled context is not.
func failureOf(ctx context.Context, err error) (*providers.Error, error) {
	var failure *providers.Error
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &failure):
		return failure, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return upstream.NewError("", providers.CategoryTimeout, upstream.CodeDeadline), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, err
}

// reached reports whether the service may be asked for its models.
func reached(failure *providers.Error) bool {
	return failure == nil || failure.Category == providers.CategoryModelNotFound || failure.Category == providers.CategoryInvalidRequest
}

// until returns the steps, passed before a step and skipped after it.
func until(step Step, state State) []Check {
	list := make([]Check, len(steps))
	now := Passed
	for i, s := range steps {
		list[i] = Check{s, now}
		if s == step {
			list[i].State, now = state, Skipped
		}
	}
	return list
}

func (r *Result) set(step Step, state State) {
	for i := range r.Checks {
		if r.Checks[i].Step == step {
			r.Checks[i].State = state
		}
	}
}

// stepOf returns the step at which a failure ended the way.
func stepOf(e *providers.Error) Step {
	switch e.Category {
	case providers.CategoryBlocked:
		return StepAddress
	case providers.CategoryAuthentication, providers.CategoryPermission:
		return StepKey
	case providers.CategoryConfiguration:
		if e.Code == upstream.CodeRequestInvalid {
			return StepAddress
		}
		return StepKey
	case providers.CategoryNotFound:
		return StepPath
	case providers.CategoryModelNotFound:
		return StepModel
	}
	switch e.Code {
	case upstream.CodeNameNotResolved:
		return StepName
	case upstream.CodeConnectFailed, upstream.CodeConnectTimeout:
		return StepConnect
	case upstream.CodeTLSFailed:
		return StepTLS
	case upstream.CodeUnexpectedContentType, upstream.CodeUnexpectedStreamFormat:
		return StepPath
	}
	return StepStream
}
