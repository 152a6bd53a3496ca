package e2e_test

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// An output keeps what a process prints. Its methods are safe for use by
// multiple goroutines.
type output struct {
	mu      sync.Mutex
	text    strings.Builder
	ended   bool
	changed chan struct{} // closed and replaced at every change
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

// Write adds to the text; it never fails.
func (o *output) Write(b []byte) (int, error) {
	o.change(func() { o.text.Write(b) })
	return len(b), nil
}

// end says that the process has ended.
func (o *output) end() { o.change(func() { o.ended = true }) }

func (o *output) change(apply func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	apply()
	close(o.changed)
	o.changed = make(chan struct{})
}

// await returns what follows prefix in the first whole line that begins with
// it.
func (o *output) await(prefix string, limit time.Duration) (string, error) {
	expired := time.After(limit)
	for {
		o.mu.Lock()
		text, ended, changed := o.text.String(), o.ended, o.changed
		o.mu.Unlock()
		for line := range strings.Lines(text) {
			rest, found := strings.CutPrefix(line, prefix)
			if rest, whole := strings.CutSuffix(rest, "\n"); found && whole {
				return rest, nil
			}
		}
		if ended {
			return "", fmt.Errorf("the process ended without a line %q", prefix)
		}
		select {
		case <-changed:
		case <-expired:
			return "", fmt.Errorf("no line %q within %v", prefix, limit)
		}
	}
}

// String returns the text so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
