package upstream

import (
	"context"
	"errors"

	"countersign/providers"
	"countersign/providers/sse"
)

// ErrDone reports the event that some servers send after the last one. It
// proves nothing.
var ErrDone = errors.New("end of the stream was announced")

// A Translator turns the events of one stream into those of the vocabulary. It
// belongs to one goroutine.
type Translator interface {
	// Frame takes one event. It returns [ErrDone], or a [*providers.Error].
	Frame(ev sse.Event) error
	// Take returns what came out since the last call. It may be overwritten by
	// the next frame.
	Take() []providers.Event
	// Proved reports that the answer has proved to be complete.
	Proved() bool
	// End judges the stream by how it ended: err is [io.EOF], ErrDone, or an
	// error of the exchange. A connection that breaks after the proof loses
	// nothing but what would have come then; what the caller ended has no
	// answer.
	End(err error) (providers.Finish, error)
}

// Play yields what a translator makes of an exchange, as [providers.Provider]
// says of Stream. The exchange stays the caller's.
func Play(ctx context.Context, x *Exchange, t Translator, yield func(providers.Event, error) bool) {
	for {
		ev, err := x.Next()
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		if err == nil {
			if err = t.Frame(ev); err != nil && err != ErrDone {
				yield(nil, err)
				return
			}
		}
		for _, e := range t.Take() {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			finish, err := t.End(err)
			if err != nil {
				yield(nil, err)
				return
			}
			yield(finish, nil)
			return
		}
		if t.Proved() {
			x.Settle()
		}
	}
}
