package web

import (
	"context"
	"errors"

	"countersign/agent"
	"countersign/providers"
	"countersign/views"
)

// faultOf puts into words why a provider failed. An error that is none of a
// provider is a fault of the server, of which nothing is told.
func faultOf(err error, provider string) views.Fault {
	e := &providers.Error{Category: providers.CategoryServer}
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.DeadlineExceeded):
		e = &providers.Error{Category: providers.CategoryTimeout, Retryable: true}
	}
	return views.FaultOf(agent.ProviderError{
		Category: e.Category, Retryable: e.Retryable, HTTPStatus: e.HTTPStatus, API: e.API,
		RequestID: e.RequestID, Code: e.Code, RetryAfterMS: e.RetryAfter.Milliseconds(),
	}, provider)
}
