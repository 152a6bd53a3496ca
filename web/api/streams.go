package api

import (
	"context"
	"sync"

	"countersign/agent"
)

// A stream is a run that a program follows.
type stream struct {
	caller       string
	key          agent.KeyID // the caller's, or that of who made its token
	user         agent.UserID
	conversation agent.ConversationID
	cancel       context.CancelFunc
}

// streams knows every open stream, so that those of a key, a person or a
// conversation can be ended at once. Its methods are safe for use by multiple
// goroutines.
type streams struct {
	mu      sync.Mutex
	open    map[*stream]struct{}
	stopped bool
}

// add registers a stream, or reports that there are too many of them already
// or that the server is stopping.
func (s *streams) add(f *stream, most, mostOfOne int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for g := range s.open {
		if g.caller == f.caller {
			same++
		}
	}
	if s.stopped || len(s.open) >= most || same >= mostOfOne {
		return false
	}
	if s.open == nil {
		s.open = make(map[*stream]struct{})
	}
	s.open[f] = struct{}{}
	return true
}

func (s *streams) remove(f *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, f)
}

// end ends the streams that match.
func (s *streams) end(match func(*stream) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.open {
		if match(f) {
			f.cancel()
		}
	}
}

func (s *streams) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.end(func(*stream) bool { return true })
}
