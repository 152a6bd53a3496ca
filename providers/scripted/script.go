package scripted

import (
	"time"

	"countersign/providers"
)

// A Script is a parsed list of responses. It never changes and is safe for
// concurrent use; who has read how far is kept by a [Stage].
type Script struct {
	responses []*Response
	gates     map[string]bool // every gate named in it
}

// Match returns the first response whose match conditions all hold for the
// request, read before or not, or nil. Nothing is used up, so the same request
// always gets the same answer.
func (s *Script) Match(req providers.Request) *Response {
	for _, r := range s.responses {
		if r.matches(req) {
			return r
		}
	}
	return nil
}

// A Response says what one attempt does. It is immutable.
type Response struct {
	number int // from 1, in the order of the script
	line   int // where it starts

	match  []condition
	expect []condition
	events []event // the last one is an end

	// gates holds the stream at gate lines; nil leaves every gate open.
	gates *gates
}

func (r *Response) matches(req providers.Request) bool {
	for _, c := range r.match {
		if !c.holds(req) {
			return false
		}
	}
	return true
}

// An event is one line of a response.
type event interface{ event() }

// A channel is where a piece of text belongs.
type channel string

const (
	channelText      channel = "text"
	channelReasoning channel = "reasoning"
	channelRefusal   channel = "refusal"
)

type (
	// say is text; times counts how often the piece comes.
	say struct {
		channel channel
		text    string
		times   int
	}
	// quote is answer text taken from the request.
	quote struct{ of string } // "user" or "result"
	// rate paces the text after it; zero switches pacing off.
	rate      struct{ perSecond int }
	pause     struct{ length time.Duration }
	keepalive struct{}
	gate      struct{ name string }
	call      struct{ id, name, arguments string }
	usage     struct{ counts providers.Usage }
)

type (
	finish struct{ reason providers.FinishReason }
	cut    struct{}
	reset  struct{}
	hang   struct{}
	// failure is an error of the service. Without a status it comes inside
	// the stream.
	failure struct {
		status     int
		category   providers.Category
		retryable  bool
		code       string
		retryAfter time.Duration
	}
)

func (say) event()       {}
func (quote) event()     {}
func (rate) event()      {}
func (pause) event()     {}
func (keepalive) event() {}
func (gate) event()      {}
func (call) event()      {}
func (usage) event()     {}
func (finish) event()    {}
func (cut) event()       {}
func (reset) event()     {}
func (hang) event()      {}
func (failure) event()   {}

// ends reports whether nothing can come after the event.
func ends(ev event) bool {
	switch ev.(type) {
	case finish, cut, reset, hang, failure:
		return true
	}
	return false
}
