package connector

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"countersign/agent"
	"countersign/models"
)

// A Config is what [Connectors] work with. DB is needed.
type Config struct {
	DB      *models.DB
	Version string
	Getenv  func(string) string // [os.Getenv] if nil
	Log     *slog.Logger        // nothing is logged if nil
	// Retry is the first delay before connecting again, 1 s if 0.
	Retry time.Duration
}

// Connectors are the connections to the servers of all connectors that are on.
// It is an [agent.ToolSource]. Its methods are safe for use by multiple
// goroutines.
type Connectors struct {
	config Config

	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	refreshing sync.Mutex // held while what is stored is read
	mu         sync.Mutex
	links      map[string]*link // by id
	tools      []agent.Tool
}

var _ agent.ToolSource = (*Connectors)(nil)

// New returns connectors that are not connected until Refresh.
func New(c Config) *Connectors {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Getenv == nil {
		c.Getenv = os.Getenv
	}
	c.Retry = cmp.Or(c.Retry, time.Second)
	s := &Connectors{config: c, links: make(map[string]*link)}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Close ends every connection and every program that was started, and waits for
// that.
func (s *Connectors) Close() {
	s.stop()
	s.wg.Wait()
}

// Tools returns the tools that there are now.
func (s *Connectors) Tools() []agent.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools
}

// State is how a connector stands; zero for one that is off.
func (s *Connectors) State(id string) State {
	s.mu.Lock()
	l := s.links[id]
	s.mu.Unlock()
	if l == nil {
		return State{}
	}
	return l.now()
}

// Refresh brings the connections in line with what is stored: those that were
// changed are made anew.
func (s *Connectors) Refresh(ctx context.Context) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	stored, err := s.config.DB.Connectors().List(ctx)
	if err != nil {
		return err
	}
	keep := make(map[string]bool, len(stored))
	for _, c := range stored {
		keep[c.ID] = !c.Off
		if !c.Off {
			s.link(c)
		}
	}
	s.mu.Lock()
	for id, l := range s.links {
		if !keep[id] {
			l.stop()
			delete(s.links, id)
		}
	}
	s.mu.Unlock()
	return s.gather(ctx, stored)
}

// link makes sure that a connector has a link as it is stored.
func (s *Connectors) link(c models.Connector) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.links[c.ID]; old != nil {
		if old.connector.UpdatedAt.Equal(c.UpdatedAt) {
			return
		}
		old.stop()
	}
	if s.ctx.Err() != nil {
		return
	}
	l := newLink(s, c)
	s.links[c.ID] = l
	s.wg.Go(l.run)
}

// gather makes the tools that the engine sees from what is stored of them.
func (s *Connectors) gather(ctx context.Context, stored []models.Connector) error {
	var tools []agent.Tool
	for _, c := range stored {
		if c.Off {
			continue
		}
		list, err := s.config.DB.Connectors().Tools(ctx, c.ID)
		if err != nil {
			return err
		}
		names := Names(c, list)
		for _, t := range list {
			if t.Verb != models.ToolBlocked {
				tools = append(tools, tool{s, c.ID, definition(c, t, names[t.Name])})
			}
		}
	}
	s.mu.Lock()
	s.tools = tools
	s.mu.Unlock()
	return nil
}

// Try connects anew, unless there is a connection, and waits until it is known
// what came of it, or the context ends.
func (s *Connectors) Try(ctx context.Context, id string) State {
	s.mu.Lock()
	l := s.links[id]
	s.mu.Unlock()
	if l == nil {
		return State{}
	}
	l.wake()
	return l.settled(ctx)
}

// session returns the connection of a connector, and waits a while for one that
// is being made.
func (s *Connectors) session(ctx context.Context, id string) (*link, *session) {
	s.mu.Lock()
	l := s.links[id]
	s.mu.Unlock()
	if l == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	if dead := l.current(); dead != nil {
		select {
		case <-dead.done:
			l.lose(dead)
		default:
		}
	}
	l.wake()
	l.settled(ctx)
	return l, l.current()
}
