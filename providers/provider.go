package providers

import (
	"context"
	"iter"
)

// API names the wire protocol that a provider speaks (contract P4). The values
// are stored and shown; they never change.
type API string

const (
	// APIResponses is OpenAI's Responses API.
	APIResponses API = "responses"
	// APIAnthropic is Anthropic's Messages API.
	APIAnthropic API = "anthropic"
	// APIChatCompletions is OpenAI's Chat Completions API, also spoken by
	// many other servers.
	APIChatCompletions API = "chat-completions"
)

// A Provider performs attempts against one configured connection.
// Its methods are safe for use by multiple goroutines.
type Provider interface {
	// Stream sends the request once and yields what comes back, in order: any
	// number of [TextDelta], [ReasoningDelta], [RefusalDelta], [Activity] and
	// [UsageUpdate], then exactly one [Finish]. A failed attempt yields a nil event with an
	// error instead of a Finish and then ends; the error is a [*Error], or the
	// context's cause when the caller ended the context. Deltas are
	// provisional until the Finish.
	//
	// Ending the range, or the context, aborts the connection before Stream
	// returns.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}
