package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Config is what an [Engine] is made of. Journal, Index and Catalog are
// required; the rest has defaults.
type Config struct {
	Journal Journal
	Index   Index
	Catalog Catalog
	Tools   []Tool
	// Connectors has the tools that come and go; nil is none.
	Connectors ToolSource
	// People is who may have something run; everybody if nil.
	People People
	// Rulebook has the policy; nil is one without rules.
	Rulebook Rulebook
	// Attachments has the files of messages; nil is none.
	Attachments Attachments
	// Models says what models take; with nil they take everything.
	Models Models
	// Inspector asks webhooks; without one, none gives a verdict.
	Inspector Inspector
	Bounds    Bounds // see also [Engine.SetBounds]

	Now    func() time.Time
	NewID  func(prefix string) string
	Jitter func() float64 // in [0, 1)
	Log    *slog.Logger
}

// An Engine works on runs. It owns every goroutine that it starts; Shutdown
// ends them all. Its methods are safe for use by multiple goroutines.
//
// The engine holds nothing that the journal does not: it may be killed at any
// moment, and another one started on the same journal goes on.
type Engine struct {
	journal     Journal
	index       Index
	catalog     Catalog
	tools       map[string]Tool
	more        ToolSource
	people      People
	rules       Rulebook
	inspector   Inspector
	now         func() time.Time
	newID       func(string) string
	jitter      func() float64
	log         *slog.Logger
	boot        string
	hub         *hub
	line        *admission
	attachments Attachments
	models      Models

	ctx     context.Context // ends with ErrShutdown
	stop    context.CancelCauseFunc
	wg      sync.WaitGroup
	due     chan struct{} // an expiry may have come nearer
	mu      sync.Mutex
	closed  bool
	workers map[RunRef]*holding // guarded by mu
	bounds  Bounds              // guarded by mu
}

// A holding is a run that this process works on.
type holding struct {
	cancel context.CancelCauseFunc
	// owner and provider are what its conversation keeps.
	owner    UserID
	provider string
	// again says that the run became pending while its last worker was on the
	// way out.
	again bool
}

// NewEngine returns an engine that does nothing until Start.
func NewEngine(c Config) *Engine {
	c.Bounds = c.Bounds.withDefaults()
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = NewID
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{
		journal: c.Journal, index: c.Index, catalog: c.Catalog, more: c.Connectors, people: c.People, rules: c.Rulebook, inspector: c.Inspector,
		attachments: c.Attachments, models: c.Models,
		now: c.Now, newID: c.NewID, jitter: c.Jitter, log: c.Log,
		boot: c.NewID("b_"), hub: newHub(),
		line: newAdmission(c.Bounds.PerPerson, c.Bounds.PerProvider), bounds: c.Bounds, due: make(chan struct{}, 1),
		tools: make(map[string]Tool), workers: make(map[RunRef]*holding),
	}
	for _, t := range c.Tools {
		e.tools[t.Definition().Name] = t
	}
	e.ctx, e.stop = context.WithCancelCause(context.Background())
	return e
}

// Tools returns the tools that there are now: the built-in ones by name, then
// those of connectors.
func (e *Engine) Tools() []Tool {
	list := make([]Tool, 0, len(e.tools))
	for _, name := range slices.Sorted(maps.Keys(e.tools)) {
		list = append(list, e.tools[name])
	}
	if e.more != nil {
		list = append(list, e.more.Tools()...)
	}
	return list
}

// tool returns a tool that there is now.
func (e *Engine) tool(name string) (Tool, bool) {
	if t, ok := e.tools[name]; ok || e.more == nil {
		return t, ok
	}
	for _, t := range e.more.Tools() {
		if t.Definition().Name == name {
			return t, true
		}
	}
	return nil, false
}

// Start picks up every run that is not over and watches the expiries. The
// caller must hold the data directory alone: runs that an earlier process had
// are taken over at once.
func (e *Engine) Start(ctx context.Context) error {
	if err := e.adopt(ctx); err != nil {
		return err
	}
	e.wg.Go(e.watch)
	return nil
}

// Resume has a worker look at one run that is not over, in an engine that was
// not started. One that has a worker is left alone.
func (e *Engine) Resume(r RunRef) { e.wake(r) }

// adopt has workers look at the runs that want one and have none: when the
// engine starts, and later those whose worker could not record how it ended,
// as on a full disk.
func (e *Engine) adopt(ctx context.Context) error {
	runs, err := e.index.Unfinished(ctx)
	if err != nil {
		return fmt.Errorf("find unfinished runs: %w", err)
	}
	for _, r := range runs {
		e.mu.Lock()
		held := e.workers[r] != nil
		e.mu.Unlock()
		if !held {
			e.wake(r)
		}
	}
	return nil
}

// Shutdown ends the work and waits for it. Attempts under way are marked
// interrupted; their runs go on in the next process. It may be called twice
// and before Start.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop(ErrShutdown)
	done := make(chan struct{})
	go func() { e.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop the engine: %w", context.Cause(ctx))
	}
}

// wake has a worker look at a run. It is harmless for a run that needs none.
func (e *Engine) wake(r RunRef) {
	head, err := e.journal.Head(e.ctx, r.Conversation)
	if err != nil {
		if e.ctx.Err() == nil { // the run is looked for again before long
			e.log.Error("wake a run", "conversation", r.Conversation, "run", r.Run, "error", err)
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	if h := e.workers[r]; h != nil {
		h.again = true
		return
	}
	ctx, cancel := context.WithCancelCause(e.ctx)
	h := &holding{cancel: cancel, owner: head.Owner, provider: head.Model.Provider}
	e.workers[r] = h
	place := e.line.enter(h.owner, h.provider)
	e.wg.Go(func() { e.hold(ctx, r, h, place) })
}

// hold works on a run, when its turn has come, until it is over, waits, or the
// engine stops.
func (e *Engine) hold(ctx context.Context, r RunRef, h *holding, place *ticket) {
	defer h.cancel(nil)
	for {
		select {
		case <-place.admitted:
			e.work(ctx, r)
		case <-ctx.Done():
		}
		e.line.leave(place)
		e.mu.Lock()
		if !h.again || e.closed {
			delete(e.workers, r)
			e.mu.Unlock()
			return
		}
		h.again = false
		e.mu.Unlock()
		place = e.line.enter(h.owner, h.provider)
	}
}

// work runs one worker and keeps its faults from the others.
func (e *Engine) work(ctx context.Context, r RunRef) {
	w := &worker{Engine: e, ref: r}
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("run panicked", "conversation", r.Conversation, "run", r.Run, "panic", fmt.Sprintf("%T", p))
			w.fail(ctx, Failure{Code: FailInternal})
		}
	}()
	err := w.work(ctx)
	switch {
	case err == nil, errors.Is(err, errFenced), ctx.Err() != nil:
	default:
		e.log.Error("run failed", "conversation", r.Conversation, "run", r.Run, "error", err)
		w.fail(ctx, Failure{Code: faultCode(err)})
	}
}

func faultCode(err error) string {
	if errors.Is(err, ErrFull) {
		return FailFull
	}
	return FailInternal
}

// interrupt ends the work on a run in this process, if there is any.
func (e *Engine) interrupt(r RunRef, cause error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.workers[r]; h != nil {
		h.cancel(cause)
	}
}

// Follow subscribes to a conversation. The draft is what had arrived at the
// moment of subscription; what follows comes through the subscription. The
// caller closes it.
func (e *Engine) Follow(id ConversationID) (*Subscription, Draft) { return e.hub.subscribe(id) }

// Draft returns the text so far of the attempt under way.
func (e *Engine) Draft(id ConversationID) Draft { return e.hub.draft(id) }
