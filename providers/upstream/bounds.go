package upstream

import "time"

// Bounds limit one exchange. A field of zero or less takes its default.
type Bounds struct {
	// FirstByte is the longest wait for the first byte of the answer's body,
	// from the start of the exchange: 60 s.
	FirstByte time.Duration
	// Idle is the longest wait for further bytes of any kind: 5 min.
	Idle time.Duration
	// Attempt is the longest an exchange may take in all: 30 min.
	Attempt time.Duration
	// Trailer is the longest wait, in all, for what may follow the proof that
	// an answer is complete: 5 s.
	Trailer time.Duration
	// Event and Response bound one event, 4 MiB, and the whole body, 32 MiB.
	Event    int64
	Response int64
}

func (b Bounds) withDefaults() Bounds {
	return Bounds{
		FirstByte: positive(b.FirstByte, time.Minute),
		Idle:      positive(b.Idle, 5*time.Minute),
		Attempt:   positive(b.Attempt, 30*time.Minute),
		Trailer:   positive(b.Trailer, 5*time.Second),
		Event:     positive(b.Event, 4<<20),
		Response:  positive(b.Response, 32<<20),
	}
}

func positive[T time.Duration | int64](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}
