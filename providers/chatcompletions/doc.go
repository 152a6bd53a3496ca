// Package chatcompletions speaks the Chat Completions API: OpenAI's and that
// of the many servers that offer it in their own way.
//
// A stream is accepted only with its proof, a finish reason for the first
// choice and no error after it. Nothing is repaired and nothing is guessed:
// what does not fit fails the attempt with a fixed code. Fields that are not
// known are ignored; reasoning is never taken out of the answer's text.
//
// Private state of a vendor (signatures, reasoning that must be sent back, ids
// with something hidden in them) leaves the package only inside a
// [providers.Replay] and goes back only to the connection, address and model
// it came from.
package chatcompletions
