package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"countersign/agent"
	"countersign/models"
)

// Prefix is where the API begins.
const Prefix = "/v2/"

// A Config is what the API works with. DB, Engine, Delete and Logger are
// needed.
type Config struct {
	DB     *models.DB
	Engine *agent.Engine
	// Delete ends whatever a person's conversation does, and deletes it.
	Delete func(ctx context.Context, id agent.ConversationID, by agent.Actor) error
	// Routed is told which operation answers a request and for whom, for the
	// log; it may be nil.
	Routed func(r *http.Request, pattern string, user agent.UserID)
	Logger *slog.Logger
	Now    func() time.Time // [time.Now] if nil
	Limits Limits
}

// Limits bound what programs may ask of the server. A zero field means its
// default.
type Limits struct {
	KeyMessages          int // messages and new conversations a minute with one key or token: 60
	ConversationMessages int // messages a minute in one conversation: 20
	Streams              int // open at once: 1000
	KeyStreams           int // open at once with one key or token: 100

	KeepAlive time.Duration // between two signs of life of a stream: 15 s
	Frame     time.Duration // the least time between two writes of a stream: a 30th of a second
	Write     time.Duration // how long a reader has to take what it is sent: 30 s
}

func (l Limits) withDefaults() Limits {
	for _, n := range []struct {
		set       *int
		otherwise int
	}{{&l.KeyMessages, 60}, {&l.ConversationMessages, 20}, {&l.Streams, 1000}, {&l.KeyStreams, 100}} {
		if *n.set <= 0 {
			*n.set = n.otherwise
		}
	}
	for _, d := range []struct {
		set       *time.Duration
		otherwise time.Duration
	}{{&l.KeepAlive, 15 * time.Second}, {&l.Frame, time.Second / 30}, {&l.Write, 30 * time.Second}} {
		if *d.set <= 0 {
			*d.set = d.otherwise
		}
	}
	return l
}

// A Server answers programs. Its methods are safe for use by multiple
// goroutines.
type Server struct {
	Config
	log     *slog.Logger
	journal models.Journal

	streams       streams
	keys          *limiter
	conversations *limiter

	mu      sync.Mutex
	pending map[requestID]struct{} // requests that named themselves and are under way
}

// New prepares the API.
func New(c Config) (*Server, error) {
	if c.DB == nil || c.Engine == nil || c.Delete == nil || c.Logger == nil {
		return nil, errors.New("api: a database, an engine, a way to delete and a logger are needed")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Routed == nil {
		c.Routed = func(*http.Request, string, agent.UserID) {}
	}
	c.Limits = c.Limits.withDefaults()
	return &Server{
		Config: c, log: c.Logger, journal: c.DB.Journal(), pending: make(map[requestID]struct{}),
		keys: newLimiter(c.Limits.KeyMessages), conversations: newLimiter(c.Limits.ConversationMessages),
	}, nil
}

// KeyRevoked ends what a key follows.
func (s *Server) KeyRevoked(id agent.KeyID) {
	s.streams.end(func(f *stream) bool { return f.key == id })
}

// UserBarred ends what the keys of a person follow.
func (s *Server) UserBarred(id agent.UserID) {
	s.streams.end(func(f *stream) bool { return f.user == id })
}

// ConversationDeleted ends what follows a conversation.
func (s *Server) ConversationDeleted(id agent.ConversationID) {
	s.streams.end(func(f *stream) bool { return f.conversation == id })
}

// Stop ends every stream, and lets no new one begin. It does not wait: streams
// are requests, which the HTTP server waits for.
func (s *Server) Stop() { s.streams.stop() }
