// Package anthropic speaks the Anthropic Messages API.
//
// A stream is accepted only with its proof, message_stop, and calls run only if
// the stop reason before it is tool_use. Nothing is repaired and nothing is
// guessed: what does not fit fails the attempt with a fixed code. Events,
// blocks and deltas that are not known are ignored, but whole blocks go back as
// they came.
//
// A turn goes back as the blocks it came in, signatures and redacted thinking
// among them. They leave the package only inside a [providers.Replay] and go
// back only to the connection, address and model they came from.
package anthropic
