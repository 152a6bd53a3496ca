package connector

import (
	"context"
	"errors"
	"sync"
	"time"

	"countersign/models"
)

const (
	// connectWithin bounds a connection: the start of the program, the greeting
	// and the list of tools.
	connectWithin = 30 * time.Second
	// retryCap is the longest delay before connecting again.
	retryCap = time.Minute
	// steadyAfter is how long a connection has to hold for the next delay to be
	// the first one again.
	steadyAfter = time.Minute
)

// A Phase says how far a connection is.
type Phase string

const (
	Connecting Phase = "connecting"
	Connected  Phase = "connected"
	Failed     Phase = "failed"
)

// A State is how a connector stands. Its texts come in part from its server and
// are not to be trusted.
type State struct {
	Phase  Phase // "" for one that is off
	Since  time.Time
	Server string    // its name and version, as it says
	Error  string    // a sentence, if it failed
	Next   time.Time // when it is tried again, if it failed
	Notes  []string  // what was left out of its list of tools
	// Stderr is the end of what the program printed there, without the values
	// of its variables.
	Stderr string
}

// A link is the connection of one connector as it was stored at one time.
type link struct {
	all       *Connectors
	connector models.Connector
	ctx       context.Context
	stop      context.CancelFunc
	retry     chan struct{} // somebody wants it now

	mu      sync.Mutex
	state   State
	session *session      // nil without a connection
	moved   chan struct{} // closed when the phase changes
}

func newLink(all *Connectors, c models.Connector) *link {
	l := &link{all: all, connector: c, retry: make(chan struct{}, 1), moved: make(chan struct{})}
	l.state = State{Phase: Connecting, Since: time.Now()}
	l.ctx, l.stop = context.WithCancel(all.ctx)
	return l
}

func (l *link) now() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	if l.session != nil {
		s.Stderr = l.session.stderr()
	}
	return s
}

func (l *link) current() *session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// lose has the link connect anew, if the connection is still the one that a call
// was lost on.
func (l *link) lose(s *session) {
	l.mu.Lock()
	current := l.session == s
	l.mu.Unlock()
	if current {
		l.set(State{Phase: Connecting}, nil)
	}
	select {
	case s.lost <- struct{}{}:
	default:
	}
}

func (l *link) set(s State, with *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Since = time.Now()
	l.state, l.session = s, with
	close(l.moved)
	l.moved = make(chan struct{})
}

// wake ends a wait before the next try.
func (l *link) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state.Phase != Failed {
		return
	}
	l.state.Phase = Connecting
	select {
	case l.retry <- struct{}{}:
	default:
	}
}

// settled waits until the link is not connecting.
func (l *link) settled(ctx context.Context) State {
	for {
		l.mu.Lock()
		s, moved := l.state, l.moved
		l.mu.Unlock()
		if s.Phase != Connecting {
			return l.now()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return s
		case <-l.ctx.Done():
			return s
		}
	}
}

// run connects for as long as the link is wanted.
func (l *link) run() {
	delay := l.all.config.Retry
	for l.ctx.Err() == nil {
		began := time.Now()
		stderr, err := l.connection()
		if l.ctx.Err() != nil {
			break
		}
		if time.Since(began) > steadyAfter {
			delay = l.all.config.Retry
		}
		l.all.config.Log.Warn("connector not connected", "connector", l.connector.ID, "retry", delay)
		l.set(State{Phase: Failed, Error: words(err), Stderr: stderr, Next: time.Now().Add(delay)}, nil)
		if !l.pause(delay) {
			break
		}
		delay = min(2*delay, retryCap)
		l.set(State{Phase: Connecting, Error: words(err), Stderr: stderr}, nil)
	}
}

// pause waits before the next try and reports whether there is to be one.
func (l *link) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-l.retry:
	case <-l.ctx.Done():
		return false
	}
	return true
}

// connection connects once and holds the connection until it ends. The error
// says why it ended.
func (l *link) connection() (stderr string, err error) {
	ctx, cancel := context.WithTimeoutCause(l.ctx, connectWithin, errSlow)
	defer cancel()
	s, err := l.open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if s != nil {
			stderr = s.stderr()
			s.end()
		}
		return stderr, err
	}
	defer func() { s.end() }()
	for {
		listed, notes, err := s.list(ctx)
		if err == nil {
			err = l.record(ctx, listed)
		}
		if err != nil {
			return s.stderr(), err
		}
		l.set(State{Phase: Connected, Server: s.server(), Notes: notes}, s)
		select {
		case <-s.changed:
			ctx, cancel = context.WithTimeoutCause(l.ctx, connectWithin, errSlow)
			defer cancel()
		case <-s.lost:
			return s.stderr(), errEnded
		case <-s.done:
			return s.stderr(), errEnded
		case <-l.ctx.Done():
			return "", l.ctx.Err()
		}
	}
}

// record stores what was listed and has the engine see it.
func (l *link) record(ctx context.Context, listed listing) error {
	if err := l.all.config.DB.Connectors().Listed(ctx, l.connector.ID, listed.names, listed.declared); err != nil {
		return err
	}
	l.all.refreshing.Lock()
	defer l.all.refreshing.Unlock()
	stored, err := l.all.config.DB.Connectors().List(ctx)
	if err != nil {
		return err
	}
	return l.all.gather(ctx, stored)
}

var (
	errSlow  = errors.New("no answer in time")
	errEnded = errors.New("the connection ended")
)
