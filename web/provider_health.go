package web

import (
	"errors"
	"slices"
	"sync"
	"time"

	"countersign/providers"
	"countersign/views"
)

// providerHealth remembers how each provider did when it was last asked, in a
// test or for a conversation, and how its last test went. A restart forgets it,
// as it should: it says how things stood, not how they stand. Its methods are
// safe for use by multiple goroutines.
type providerHealth struct {
	mu sync.Mutex
	of map[string]*heard // by the provider's id
}

type heard struct {
	views.ProviderHealth
	test *views.ProviderTest // the last one, nil if there was none
}

func newProviderHealth() *providerHealth {
	return &providerHealth{of: make(map[string]*heard)}
}

// tried notes how a test went.
func (h *providerHealth) tried(id string, test views.ProviderTest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.note(id, test.Fault, test.At)
	one.Tested, one.test = true, &test
}

// used notes how an attempt went that was made for a conversation.
func (h *providerHealth) used(id string, fault *views.Fault, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(id, fault, at).Tested = false
}

func (h *providerHealth) note(id string, fault *views.Fault, at time.Time) *heard {
	one, ok := h.of[id]
	if !ok {
		one = &heard{}
		h.of[id] = one
	}
	if fault != nil && one.Fault == nil {
		one.Since = at
	}
	one.Fault, one.At = fault, at
	return one
}

// test returns how the last test went, nil if there was none.
func (h *providerHealth) test(id string) *views.ProviderTest {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.of[id]; ok && one.test != nil {
		test := *one.test
		return &test
	}
	return nil
}

// state returns how a provider did the last time, nil if it was not asked.
func (h *providerHealth) state(id string) *views.ProviderHealth {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.of[id]; ok {
		state := one.ProviderHealth
		return &state
	}
	return nil
}

// added takes a model from those that a test has found.
func (h *providerHealth) added(id, model string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one, ok := h.of[id]; ok && one.test != nil {
		test := *one.test
		test.Offers = slices.DeleteFunc(slices.Clone(test.Offers), func(m string) bool { return m == model })
		one.test = &test
	}
}

// drop forgets a provider that was changed or removed.
func (h *providerHealth) drop(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, id)
}

// clear forgets every provider.
func (h *providerHealth) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.of)
}

// ProviderUsed tells how an attempt ended that was made for a conversation, so
// that the list of providers says which of them fail. A nil error is an answer.
func (s *Server) ProviderUsed(id, name string, err error) {
	switch {
	case err == nil:
		s.health.used(id, nil, s.config.Now())
	case tells(err):
		fault := faultOf(err, name)
		s.health.used(id, &fault, s.config.Now())
	}
}

// tells reports whether a failed attempt says something of the provider, rather
// than of the conversation or of whoever stopped it.
func tells(err error) bool {
	var failure *providers.Error
	if !errors.As(err, &failure) {
		return false
	}
	switch failure.Category {
	case providers.CategoryContextLength, providers.CategoryContentFilter, providers.CategoryInvalidRequest:
		return false
	}
	return true
}
