package web

import (
	"context"
	"fmt"
	"sync"

	"countersign/agent"
)

// Why the server closed a socket. The page does not connect again after these.
const (
	closeSignedOut = 4401
	closeDisabled  = 4403
	closeGone      = 4404
)

// sockets knows every open socket, so that those of a session, a person or a
// conversation can be closed at once. Its methods are safe for use by multiple
// goroutines.
type sockets struct {
	mu   sync.Mutex
	open map[*socket]struct{}
	shut bool
	wg   sync.WaitGroup
}

// add registers a socket, or reports that the server is stopping.
func (s *sockets) add(k *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return false
	}
	if s.open == nil {
		s.open = make(map[*socket]struct{})
	}
	s.open[k] = struct{}{}
	s.wg.Add(1)
	return true
}

func (s *sockets) remove(k *socket) {
	s.mu.Lock()
	delete(s.open, k)
	s.mu.Unlock()
	s.wg.Done()
}

// close ends the sockets that match.
func (s *sockets) close(code int, match func(*socket) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.open {
		if match(k) {
			k.end(code)
		}
	}
}

func (s *sockets) closeSession(id string) {
	s.close(closeSignedOut, func(k *socket) bool { return k.session == id })
}

func (s *sockets) closeUser(id agent.UserID) {
	s.close(closeDisabled, func(k *socket) bool { return k.user == id })
}

func (s *sockets) closeConversation(id agent.ConversationID) {
	s.close(closeGone, func(k *socket) bool { return k.conversation == id })
}

// shutdown ends every socket with a code and waits until they are gone.
func (s *sockets) shutdown(ctx context.Context, code int) error {
	s.mu.Lock()
	s.shut = true
	s.mu.Unlock()
	s.close(code, func(*socket) bool { return true })
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the sockets: %w", context.Cause(ctx))
	}
}
