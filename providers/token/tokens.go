package token

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"countersign/providers"
)

// A Command says how to get a token. There is no shell.
type Command struct {
	Argv []string
	// Env names the variables of this process that the command sees besides
	// PATH and HOME.
	Env []string
}

func (c Command) equal(o Command) bool {
	return slices.Equal(c.Argv, o.Argv) && slices.Equal(c.Env, o.Env)
}

// A Config says how commands are run. The zero Config is what the program
// uses.
type Config struct {
	Limit  time.Duration       // how long a command may take, 10 s if zero
	Getenv func(string) string // [os.Getenv] if nil
	Now    func() time.Time    // [time.Now] if nil
	// Log gets why a command failed, in words of ours; nothing if nil.
	Log *slog.Logger
}

const (
	defaultLimit = 10 * time.Second

	// A failed command is not started again before firstPause has passed, then
	// twice that, up to lastPause.
	firstPause = 5 * time.Second
	lastPause  = time.Minute
)

// Tokens holds the tokens of connections and the commands that run for them.
// Its methods are safe for use by multiple goroutines.
type Tokens struct {
	config  Config
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	sources map[string]*source // by connection
}

// New returns Tokens that has none yet.
func New(c Config) *Tokens {
	if c.Limit == 0 {
		c.Limit = defaultLimit
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Tokens{config: c, ctx: ctx, stop: stop, sources: make(map[string]*source)}
}

// Close stops the commands that run, and waits for them. Token fails from then
// on. It may be called twice.
func (t *Tokens) Close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.stop()
	t.running.Wait()
}

// A source is where the tokens of one connection come from.
type source struct {
	command  Command
	held     held          // the newest token, zero if there is none
	refresh  chan struct{} // closed at the end of the command that runs, nil if none does
	failures int           // in a row
	retryAt  time.Time     // not before, after a failure
}

// A held token was printed at a time and holds up to another.
type held struct {
	text      string
	printedAt time.Time
	expiresAt time.Time
}

// dueAt is when a token is to be replaced: a minute before it ends, or a tenth
// of its life if that is more, but not in the first half.
func (h held) dueAt() time.Time {
	life := h.expiresAt.Sub(h.printedAt)
	return h.expiresAt.Add(-min(max(time.Minute, life/10), life/2))
}

// Token returns a token of a connection that has not expired. It runs the
// command when there is none or the last one is about to end, one run at a
// time for all who ask; a token that still holds is used if that fails. A
// changed command takes the place of the one before. The error is the cause of
// the context if that has ended, else a [*providers.Error] with
// [providers.CodeTokenCommandFailed].
func (t *Tokens) Token(ctx context.Context, connection string, c Command) (string, error) {
	for {
		token, wait, err := t.ask(connection, c)
		if wait == nil {
			return token, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// ask returns a token, an error, or what to wait for before asking again.
func (t *Tokens) ask(connection string, c Command) (token string, wait <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.config.Now()
	s := t.sources[connection]
	if s == nil || !s.command.equal(c) {
		s = &source{command: Command{slices.Clone(c.Argv), slices.Clone(c.Env)}}
		t.sources[connection] = s
	}
	holds := now.Before(s.held.expiresAt)
	if holds && now.Before(s.held.dueAt()) {
		return s.held.text, nil, nil
	}
	if s.refresh == nil && !t.closed && !now.Before(s.retryAt) {
		t.start(connection, s)
	}
	switch {
	// Soon it could end on the way: better to wait for the next one.
	case s.refresh != nil && !now.Add(t.config.Limit).Before(s.held.expiresAt):
		return "", s.refresh, nil
	case holds:
		return s.held.text, nil, nil
	}
	return "", nil, providers.KeyError(providers.CodeTokenCommandFailed)
}

// start runs the command of a source. t.mu is held.
func (t *Tokens) start(connection string, s *source) {
	done := make(chan struct{})
	s.refresh = done
	t.running.Go(func() {
		printed, err := run(t.ctx, s.command, t.config)
		t.mu.Lock()
		defer t.mu.Unlock()
		defer close(done)
		s.refresh = nil
		if err == nil {
			s.held, s.failures, s.retryAt = printed, 0, time.Time{}
			return
		}
		pause := min(firstPause<<min(s.failures, 10), lastPause)
		s.failures++
		s.retryAt = t.config.Now().Add(pause)
		if t.ctx.Err() == nil {
			t.config.Log.Warn("the command for a token failed", "connection", connection, "reason", err, "pause", pause)
		}
	})
}
