package web

import "time"

// A Pace is how often a page and the server hear of each other. A zero field
// means its default.
type Pace struct {
	// Beat is how often a page gets a sign of life: 15 s.
	Beat time.Duration
	// Silence is how long a connection may say nothing, though every beat asks
	// for an answer: 45 s.
	Silence time.Duration
	// Frame is the least time between two frames: a 30th of a second.
	Frame time.Duration
	// Hello is how long a page has to say what it shows: 10 s.
	Hello time.Duration
	// Write is how long a connection has to take what it is sent: 10 s.
	Write time.Duration
}

func (p Pace) withDefaults() Pace {
	for _, d := range []struct {
		set       *time.Duration
		otherwise time.Duration
	}{
		{&p.Beat, 15 * time.Second}, {&p.Silence, 45 * time.Second}, {&p.Frame, time.Second / 30},
		{&p.Hello, 10 * time.Second}, {&p.Write, 10 * time.Second},
	} {
		if *d.set <= 0 {
			*d.set = d.otherwise
		}
	}
	return p
}
