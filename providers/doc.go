// Package providers is the vocabulary between the agent and model APIs: what
// a request says, what a stream may yield, how a failure is described.
//
// An adapter (one sub-package per API) implements [Provider]. It performs
// exactly one attempt per call: retries belong to the agent. It drops nothing
// silently and repairs nothing: an attempt either proves that it is complete
// or fails with an [Error], and only a complete attempt may carry tool calls
// that run (contract P33, P34).
//
// The package imports nothing else of this module.
package providers
