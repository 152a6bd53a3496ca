package probe

import (
	"context"
	"slices"

	"countersign/providers"
	"countersign/providers/upstream"
)

// NotOpened is the result for a connection that can't be tried, because it can
// not be opened as it is configured.
func NotOpened(why *providers.Error) Result {
	_, w := follow(context.Background())
	r := Result{Checks: w.checks()}
	r.explain(why, "", "")
	return r
}

// explain says at which step a failure ended the way, and what it proves of
// the others. stopped is as of [way.stopped].
func (r *Result) explain(why *providers.Error, stopped Step, model string) {
	why = r.missingModel(why, model)
	step := stepOf(why, stopped)
	listed := len(r.Models) > 0
	if step == StepPath && succeeded(why) && listed {
		step = StepStream // this API is at home here; only its answer is no stream
	}
	if step != StepName && why.Category != providers.CategoryBlocked && why.Category != providers.CategoryConfiguration {
		r.set(Passed, StepAddress)
	}
	switch step {
	case StepKey, StepPath:
		if why.Category == providers.CategoryConfiguration {
			r.omitSkipped(networkSteps) // nothing was sent
		}
		r.set(Passed, StepAnswer)
	case StepModel:
		r.set(Passed, StepAnswer, StepKey, StepPath)
	case StepStream:
		r.set(Passed, StepAnswer)
		if succeeded(why) || stopped == StepStream || listed {
			r.set(Passed, StepKey, StepPath)
		}
		if succeeded(why) || stopped == StepStream {
			r.set(Passed, StepModel)
		}
	}
	r.RequestID = why.RequestID
	r.fail(step, why)
}

// succeeded reports whether the head of the answer was one of success.
func succeeded(why *providers.Error) bool { return why.HTTPStatus >= 200 && why.HTTPStatus < 300 }

// missingModel takes a failure that may have several causes for what it is
// where the service lists its models and this one is not among them.
func (r *Result) missingModel(why *providers.Error, model string) *providers.Error {
	if why.Category != providers.CategoryNotFound || len(r.Models) == 0 || slices.Contains(r.Models, model) {
		return why
	}
	missing := *why
	missing.Category = providers.CategoryModelNotFound
	return &missing
}

// mayList reports whether a failure leaves open that the service lists its
// models.
func mayList(why *providers.Error) bool {
	switch why.Category {
	case providers.CategoryModelNotFound, providers.CategoryNotFound, providers.CategoryInvalidRequest, providers.CategoryParser:
		return true
	}
	return false
}

// stepOf returns the step at which a failure ended the way.
func stepOf(why *providers.Error, stopped Step) Step {
	switch {
	case why.Category == providers.CategoryBlocked, slices.Contains(addressCodes, why.Code):
		return StepAddress
	case why.Code == codeUnsupportedAPI:
		return StepPath
	case why.Category == providers.CategoryConfiguration:
		return StepKey
	case stopped != "":
		return stopped
	}
	if step, ok := networkCodes[why.Code]; ok {
		return step
	}
	switch why.Category {
	case providers.CategoryAuthentication, providers.CategoryPermission:
		return StepKey
	case providers.CategoryNotFound:
		return StepPath
	case providers.CategoryModelNotFound:
		return StepModel
	case providers.CategoryParser:
		if why.Code == upstream.CodeUnexpectedContentType || why.Code == upstream.CodeUnexpectedStreamFormat {
			return StepPath
		}
	case providers.CategoryRateLimit, providers.CategoryOverloaded, providers.CategoryQuota, providers.CategoryServer,
		providers.CategoryTimeout, providers.CategoryNetwork:
		if !succeeded(why) {
			return StepAnswer
		}
	}
	return StepStream
}

// codeUnsupportedAPI says that there is no adapter for an API.
const codeUnsupportedAPI = "unsupported_api"

// addressCodes say that an address can't be used at all.
var addressCodes = []string{upstream.CodeRequestInvalid, "unusable_base_url"}

// networkCodes say themselves what failed.
var networkCodes = map[string]Step{
	upstream.CodeNameNotResolved: StepName,
	upstream.CodeConnectFailed:   StepConnect,
	upstream.CodeConnectTimeout:  StepConnect,
	upstream.CodeTLSFailed:       StepTLS,
}
