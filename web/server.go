package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/gorilla/websocket"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/web/api"
	"countersign/web/connector"
)

// A Config is what a server works with. DB and Connect are needed.
type Config struct {
	DB     *models.DB
	Engine *agent.Engine

	// Connect turns a stored provider into one that can be asked. The error is
	// a [*providers.Error] when it can't be used as it is configured. Only the
	// test of a connection uses it; runs go through the engine.
	Connect func(ctx context.Context, p models.Provider) (providers.Provider, error)

	// Connectors are the connections to MCP servers. They follow what is stored
	// from the first SettingsChanged; nil makes none.
	Connectors *connector.Connectors

	// PublicURL is where browsers reach the server, "" if only the address it
	// listens on is known. If it is https, cookies are for TLS alone.
	PublicURL string
	// TrustedProxy says that every request comes through a reverse proxy that
	// sets X-Forwarded-For and X-Forwarded-Proto itself.
	TrustedProxy bool

	Pace   Pace             // of the sockets
	API    api.Limits       // of programs
	Logger *slog.Logger     // nothing is logged if nil
	Now    func() time.Time // [time.Now] if nil
}

// A Server serves the pages of one installation. Its methods are safe for use
// by multiple goroutines.
type Server struct {
	config       Config
	log          *slog.Logger
	publicOrigin string // canonical, "" without a public URL

	journal  models.Journal
	sockets  sockets
	programs *api.Server
	sessions *sessions
	setup    *setupGate
	health   *providerHealth

	// Of attempts to sign in.
	networks *throttle
	targets  *throttle // an account from a network
	accounts *throttle
}

// New prepares a server. It refuses a public URL that is not the address of a
// whole server.
func New(c Config) (*Server, error) {
	if c.DB == nil || c.Connect == nil {
		return nil, errors.New("web: a server needs a database and a way to connect")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Pace = c.Pace.withDefaults()
	s := &Server{
		config:   c,
		log:      c.Logger,
		journal:  c.DB.Journal(),
		setup:    newSetupGate(c.DB),
		health:   newProviderHealth(),
		networks: newThrottle(networkEvery, networkBurst),
		targets:  newThrottle(targetEvery, targetBurst),
		accounts: newThrottle(accountEvery, accountBurst),
	}
	// Behind a declared proxy the browser's side is TLS unless stated otherwise.
	secure := c.TrustedProxy
	if c.PublicURL != "" {
		origin, ok := parseOrigin(c.PublicURL)
		if !ok {
			return nil, fmt.Errorf("web: the public URL must be http:// or https:// and a host, without a path")
		}
		u, err := url.Parse(c.PublicURL)
		if err != nil {
			return nil, err
		}
		s.publicOrigin, secure = origin, u.Scheme == "https"
	}
	var err error
	s.programs, err = api.New(api.Config{
		DB: c.DB, Engine: c.Engine, Delete: s.erase, Routed: noteProgram, Logger: s.log, Now: c.Now, Limits: c.API,
	})
	if err != nil {
		return nil, err
	}
	s.sessions = newSessions(c.DB.Sessions(), secure, c.Now, s.sessionEnded)
	return s, nil
}

// sessionEnded closes what a session that has ended still holds open.
func (s *Server) sessionEnded(id string) { s.sockets.closeSession(id) }

// endUser signs a person out everywhere: their sessions end and their pages do
// not come back.
func (s *Server) endUser(ctx context.Context, id agent.UserID) error {
	s.sockets.closeUser(id)
	return s.sessions.endAll(ctx, id, "")
}

// disable bars a person from signing in, signs them out everywhere and stops
// what runs for them: nothing goes on in the name of somebody who may not use
// the server. What waits in their queues stays there. If it fails halfway it
// can be done again.
func (s *Server) disable(ctx context.Context, id agent.UserID, by agent.Actor) error {
	if err := s.config.DB.Users().SetDisabled(ctx, id, true); err != nil {
		return err
	}
	s.programs.UserBarred(id)
	return errors.Join(s.endUser(ctx, id), s.stopRunsOf(ctx, id, by))
}

func (s *Server) stopRunsOf(ctx context.Context, id agent.UserID, by agent.Actor) error {
	runs, err := s.config.DB.Conversations().UnfinishedOf(ctx, id)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range runs {
		if err := s.config.Engine.Cancel(ctx, r, by); err != nil && !errors.Is(err, agent.ErrNotFound) { // deleted meanwhile
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Shutdown ends every socket in a way that makes its page come back later, and
// every stream of a program. The caller has stopped the HTTP server by then, so
// no new one is opened.
func (s *Server) Shutdown(ctx context.Context) error {
	s.programs.Stop()
	return s.sockets.shutdown(ctx, websocket.CloseGoingAway)
}
