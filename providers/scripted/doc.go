// Package scripted plays a model from a readable text.
//
// One script drives three things: a [Provider] inside the process for engine
// tests under a fake clock, a strict server that speaks Chat Completions over
// real HTTP (package scriptedtest), and the practice provider that people try
// Countersign with. A script cannot think: what it answers is what it says.
//
// # Format
//
// A script is a list of responses separated by lines of three dashes. A
// response is one attempt: first its conditions, then its events in order,
// one a line, the last of which ends it. Blank lines and lines that start
// with # are skipped; so is white space at the start of a line.
//
//	match user "milk"                 # chooses: see Conditions
//	expect tool notes_write           # asserts: see Conditions
//
//	reasoning "Let me think. "        # display reasoning
//	text "Hello "                     # answer text, quoted as in Go
//	refusal "I will not."             # refusal text
//	repeat 1000 text "word "          # the same piece, many times
//	quote user                        # the last user message, quoted
//	quote result                      # the last tool result, quoted
//	rate 40/s                         # from here on, word by word
//	rate off                          # from here on, in whole pieces
//	pause 800ms                       # nothing comes for a while
//	keepalive                         # a sign of life without content
//	gate half                         # waits until the test releases it
//	call call_1 notes_write {"a":1}   # a tool call: id, name, arguments
//	usage in=12 out=34 cached=0       # also cache_write= and reasoning=
//	finish stop                       # the proven end
//
// The comments above are for the reader: a # elsewhere than at the start of a
// line is part of the line and an error.
//
// Text without a quoted string takes the lines below that start with a bar,
// joined by line feeds; one space after the bar is dropped. The arguments of a
// call may be written in the same way, or quoted, which also admits arguments
// that are no JSON.
//
//	text
//	| ## A heading
//	|
//	| A paragraph.
//
// A quotation is Markdown: every line of it starts with "> ". It is cut
// after 500 characters.
//
// Over HTTP nothing is sent before the first line that says something, not
// even the headers: a pause or a gate at the start delays the first byte.
//
// # Ends
//
//	finish stop         or tool_calls, length, content_filter, refusal,
//	                    pause, context_length, other
//	cut                 the answer ends without a finish
//	reset               the connection breaks; what was not read yet is lost
//	hang                nothing more until the caller goes away
//	status 503 overloaded code=server_is_overloaded retry-after=2s
//	error overloaded code=server_is_overloaded
//
// Chat Completions has no word for pause and context_length: over HTTP they are
// sent as they stand here, which an adapter takes for an unknown reason.
//
// A status line is an HTTP answer instead of a stream, so no text may come
// before it; an error line is an error inside a stream. Both name the category
// that the in-process provider reports, because a status and a code alone
// leave it to an adapter. Retryable follows from the category unless the line
// says retryable=true or retryable=false. The delay needs a whole number of
// seconds.
//
// # Conditions
//
//	user "text"         the last user message contains the text
//	system "text"       the instructions contain the text
//	result "text"       a tool result since then contains the text
//	result call_1 "t"   the result of that call contains the text
//	results 1           that many tool results since the last user message
//	tool notes_write    the tool is declared in the request
//	attempt 2           the number of the try
//	model name          the model asked for
//
// Texts are compared without regard to case; of several texts one is enough.
// "not" before a condition turns it round.
//
// A request takes the first unread response whose match conditions all hold;
// a response without any fits every request. So plain responses are read from
// top to bottom, and matched ones serve conversations that run side by side.
// The expect conditions are then checked, and a failure is a problem of the
// test: see [Stage].
package scripted
