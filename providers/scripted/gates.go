package scripted

import (
	"context"
	"fmt"
	"sync"
)

// gates lets a test hold streams at named places. It waits on channels only,
// so a fake clock does not mind.
type gates struct {
	all map[string]*gateState // fixed after newGates
}

type gateState struct {
	reached, released         chan struct{}
	reachedOnce, releasedOnce sync.Once
}

func newGates(names map[string]bool) *gates {
	g := &gates{all: make(map[string]*gateState, len(names))}
	for name := range names {
		g.all[name] = &gateState{reached: make(chan struct{}), released: make(chan struct{})}
	}
	return g
}

// pass marks the gate as reached and waits until it is released.
func (g *gates) pass(ctx context.Context, name string) error {
	if g == nil {
		return nil
	}
	s := g.all[name]
	s.reachedOnce.Do(func() { close(s.reached) })
	select {
	case <-s.released:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gates) awaitReached(ctx context.Context, name string) error {
	s, ok := g.all[name]
	if !ok {
		return fmt.Errorf("the script has no gate %s", name)
	}
	select {
	case <-s.reached:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for gate %s: %w", name, context.Cause(ctx))
	}
}

func (g *gates) release(name string) error {
	s, ok := g.all[name]
	if !ok {
		return fmt.Errorf("the script has no gate %s", name)
	}
	s.releasedOnce.Do(func() { close(s.released) })
	return nil
}
