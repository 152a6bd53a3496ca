package agent

import "time"

// Bounds limit what one engine does at once. A zero field means its default.
type Bounds struct {
	PerPerson   int           // running runs of one person
	PerProvider int           // running runs on one provider
	Queue       int           // messages that wait in one conversation
	ToolCall    time.Duration // until a tool call is given up
}

// The defaults of [Bounds]. Runs beyond them wait as pending, in the order in
// which they came.
const (
	DefaultPerPerson   = 4
	DefaultPerProvider = 32
	DefaultQueue       = 20
	DefaultToolCall    = 120 * time.Second
)

func (b Bounds) withDefaults() Bounds {
	if b.PerPerson <= 0 {
		b.PerPerson = DefaultPerPerson
	}
	if b.PerProvider <= 0 {
		b.PerProvider = DefaultPerProvider
	}
	if b.Queue <= 0 {
		b.Queue = DefaultQueue
	}
	if b.ToolCall <= 0 {
		b.ToolCall = DefaultToolCall
	}
	return b
}

// SetBounds changes the bounds. What is under way goes on; what waits for a
// place that there is now gets it.
func (e *Engine) SetBounds(b Bounds) {
	b = b.withDefaults()
	e.mu.Lock()
	e.bounds = b
	e.mu.Unlock()
	e.line.resize(b.PerPerson, b.PerProvider)
}

func (e *Engine) bound() Bounds {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.bounds
}
