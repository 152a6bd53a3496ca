// Package responses speaks OpenAI's Responses API, streaming and without state
// on the service: every request says store false and carries the history, and
// the encrypted reasoning of earlier answers goes back as it came (contract R4,
// P27 to P29).
//
// The result is built from the finished items, not from the deltas, and only
// the event that ends a response proves it.
package responses
