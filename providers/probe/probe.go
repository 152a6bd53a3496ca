package probe

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"countersign/providers"
	"countersign/providers/upstream"
)

const (
	// Limit bounds a probe as a whole.
	Limit = 10 * time.Second
	// listLimit bounds the question for a list of models.
	listLimit = 3 * time.Second
	// answerTokens is what the test asks for: enough for a word. A model that
	// thinks first may use it up, which proves the connection as well.
	answerTokens = 64
)

// A Target is what is tried.
type Target struct {
	Provider providers.Provider
	API      providers.API // that it speaks
	Model    string        // "" where none is chosen yet: then only the list is asked for
	NoTools  bool          // the model is not meant to take tools
}

// Run tries a connection: a short answer, the list of models and, if the
// answer came, another one with a tool declared. It sends each request once and
// returns within [Limit], with what it has found by then. A deadline of the
// context is held against the connection; a context that ends otherwise says
// nothing of it, and its cause is the error.
func Run(ctx context.Context, t Target) (Result, error) {
	limited, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	tryAll := t.tryAnswer
	if t.Model == "" {
		tryAll = t.tryList
	}
	r, err := tryAll(limited)
	if err == nil && errors.Is(ctx.Err(), context.Canceled) {
		err = context.Cause(ctx)
	}
	return r, err
}

// tryAnswer asks for answers, and for the list if the service is one that can
// be asked.
func (t Target) tryAnswer(ctx context.Context) (Result, error) {
	finish, w, err := t.ask(ctx, nil)
	failure, err := t.failureOf(ctx, err)
	if err != nil {
		return Result{}, err
	}
	r := Result{Checks: w.checks(), RequestID: finish.RequestID}
	if failure == nil || mayList(failure) {
		r.Models, _ = t.list(ctx) // a service without a list works as well
	}
	if failure != nil {
		r.explain(failure, w.stopped(), t.Model)
		return r, nil
	}
	r.omitSkipped(networkSteps) // what plays inside this program has no network
	r.set(Passed, StepAnswer, StepKey, StepPath, StepModel, StepStream, StepUsage)
	if !finish.Usage.Known() {
		r.set(Warned, StepUsage)
	}
	if !t.NoTools {
		t.tryTools(ctx, &r)
	}
	return r, nil
}

// tryList asks for the models alone. They prove the connection as far as it
// goes; without a list nothing but a model can.
func (t Target) tryList(ctx context.Context) (Result, error) {
	traced, w := follow(ctx)
	list, err := t.list(traced)
	failure, err := t.failureOf(ctx, err)
	if err != nil {
		return Result{}, err
	}
	r := Result{Checks: w.checks(), Models: list}
	switch {
	case failure == nil:
		r.set(Passed, StepAnswer, StepKey, StepPath)
	case !mayList(failure):
		r.explain(failure, w.stopped(), "")
		return r, nil
	}
	r.fail(StepModel, upstream.NewError(t.API, providers.CategoryConfiguration, CodeNoModel))
	return r, nil
}

// ask performs a short request to the end of its stream.
func (t Target) ask(ctx context.Context, tools []providers.ToolSpec) (providers.Finish, *way, error) {
	req := providers.Request{
		Model: t.Model, Messages: []providers.Message{providers.UserMessage{Text: "Reply with the word OK."}},
		Tools: tools, Attempt: 1, MaxOutputTokens: answerTokens, OmitThinking: true,
	}
	traced, w := follow(ctx)
	var finish providers.Finish
	for event, err := range t.Provider.Stream(traced, req) {
		if err != nil {
			return finish, w, err
		}
		w.end(nil, StepStream) // it has begun, at least
		if f, ok := event.(providers.Finish); ok {
			finish = f
		}
	}
	return finish, w, nil
}

// list returns the models that the service lists.
func (t Target) list(ctx context.Context) ([]string, error) {
	lister, ok := t.Provider.(providers.ModelLister)
	if !ok {
		return nil, upstream.NewError(t.API, providers.CategoryNotFound, "")
	}
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	return lister.Models(ctx)
}

// tryTools tells whether the model takes tools. Only a request that is refused
// for what it says shows that it does not.
func (t Target) tryTools(ctx context.Context, r *Result) {
	noop := providers.ToolSpec{Name: "noop", Description: "Does nothing.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}
	_, _, err := t.ask(ctx, []providers.ToolSpec{noop})
	var refused *providers.Error
	switch {
	case err == nil:
		r.set(Passed, StepTools)
	case errors.As(err, &refused) && slices.Contains(refusals, refused.Category):
		why := *refused
		why.Code = CodeToolsRefused
		r.fail(StepTools, &why)
	}
}

// refusals are what a service says of a request for what it has not got. Some
// look for a model that takes tools, and say that they found none.
var refusals = []providers.Category{
	providers.CategoryInvalidRequest, providers.CategoryNotFound, providers.CategoryModelNotFound,
}

// failureOf tells what the connection did from what the caller did.
func (t Target) failureOf(ctx context.Context, err error) (*providers.Error, error) {
	var failure *providers.Error
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &failure):
		return failure, nil
	case errors.Is(err, context.DeadlineExceeded):
		return upstream.NewError(t.API, providers.CategoryTimeout, upstream.CodeDeadline), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, err
}
