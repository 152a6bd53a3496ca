package web

import (
	"context"
	"errors"
	"strconv"

	"countersign/providers"
	"countersign/views"
)

// faultWords says, for each category, where a connection failed and what an
// admin can do about it.
var faultWords = map[providers.Category]struct{ title, text string }{
	providers.CategoryAuthentication: {"The key was refused", "The provider does not accept this credential. Check the key, and that it belongs to this provider."},
	providers.CategoryPermission:     {"Permission was refused", "The provider knows the key, but the key may not do this. Check its rights and the account’s region."},
	providers.CategoryRateLimit:      {"The rate limit is reached", "The connection works; the provider asks for a pause. Test again later."},
	providers.CategoryOverloaded:     {"The provider is overloaded", "The connection works, but the provider has no capacity now. Test again later."},
	providers.CategoryQuota:          {"The quota is used up", "The provider accepts the key, but the account has no credit or quota left."},
	providers.CategoryContextLength:  {"The request was too long", "The model takes less text than the test sends. Choose another model."},
	providers.CategoryInvalidRequest: {"The request was refused", "The provider answered, but not to this request. Check the model id and the limit on output tokens; some servers refuse the usage option."},
	providers.CategoryModelNotFound:  {"The model was not found", "The provider answered, but has no model with this id, or the key may not use it."},
	providers.CategoryNotFound:       {"Nothing was found at the address", "A server answered, but not with this API. Check the path of the base URL; it often ends in /v1."},
	providers.CategoryContentFilter:  {"The test was filtered", "The provider’s content filter stopped the test. The connection itself works."},
	providers.CategoryTimeout:        {"The provider took too long", "There was no complete answer within the time for a test."},
	providers.CategoryNetwork:        {"No connection could be made", "The name was not found, or nothing answers at the address, or the connection broke. Check the base URL and the way there from this server."},
	providers.CategoryServer:         {"The provider failed", "The provider reported a fault of its own. Test again later."},
	providers.CategoryParser:         {"The answer was not understood", "A server answered, but not as this API does. Check that the base URL is the one for Chat Completions."},
	providers.CategoryBlocked:        {"The address is blocked", "Countersign does not connect to this address. If the server is on this machine or in a private network, say so above and save."},
	providers.CategoryConfiguration:  {"The connection is not complete", "A part of the configuration is missing, most often the key. Nothing was sent."},
}

// faultOf describes a failed test. It shows what a diagnostic may contain and
// nothing else (contract D2, D5).
func faultOf(err error) views.ProviderTest {
	fault := &providers.Error{Category: providers.CategoryServer}
	switch {
	case errors.As(err, &fault):
	case errors.Is(err, context.DeadlineExceeded):
		fault = &providers.Error{Category: providers.CategoryTimeout, Retryable: true}
	}
	words := faultWords[fault.Category]
	status := ""
	if fault.HTTPStatus != 0 {
		status = strconv.Itoa(fault.HTTPStatus)
	}
	again := "no"
	if fault.Retryable {
		again = "yes"
	}
	return views.ProviderTest{
		Title: words.title,
		Text:  words.text,
		Facts: []views.Fact{
			{Label: "Category", Value: string(fault.Category)},
			{Label: "HTTP", Value: status, Unknown: "no answer"},
			{Label: "API", Value: string(fault.API)},
			{Label: "Request", Value: fault.RequestID},
			{Label: "Code", Value: fault.Code, Unknown: "none"},
			{Label: "Worth trying again", Value: again},
		},
	}
}
