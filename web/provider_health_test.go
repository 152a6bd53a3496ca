package web

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/providers"
	"countersign/views"
)

// A provider fails since the first failure after its last answer, whoever asked
// it; what says nothing of it changes nothing.
func TestProviderHealth(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	s := &Server{health: newProviderHealth(), config: Config{Now: func() time.Time { return now }}}
	began := now
	refused := &providers.Error{Category: providers.CategoryAuthentication}
	fault := views.FaultOf(faultOf(refused, "Workshop").Error, "Workshop")
	for _, step := range []struct {
		name    string
		do      func()
		failing bool
		since   time.Duration // after the beginning
		tested  bool
	}{
		{"an answer", func() { s.ProviderUsed("p", "Workshop", nil) }, false, 0, false},
		{"a failure", func() { s.ProviderUsed("p", "Workshop", refused) }, true, 2 * time.Minute, false},
		{"a failed test", func() { s.health.tried("p", views.ProviderTest{Fault: &fault, At: now}) }, true, 2 * time.Minute, true},
		{"another failure", func() { s.ProviderUsed("p", "Workshop", refused) }, true, 2 * time.Minute, false},
		{"a conversation that is too long", func() {
			s.ProviderUsed("p", "Workshop", &providers.Error{Category: providers.CategoryContextLength})
		}, true, 2 * time.Minute, false},
		{"a test that works", func() { s.health.tried("p", views.ProviderTest{At: now}) }, false, 0, true},
		{"somebody who stopped", func() { s.ProviderUsed("p", "Workshop", context.Canceled) }, false, 0, true},
		{"a fault of ours", func() { s.ProviderUsed("p", "Workshop", errors.New("canary")) }, false, 0, true},
		{"a failure again", func() { s.ProviderUsed("p", "Workshop", refused) }, true, 9 * time.Minute, false},
	} {
		now = now.Add(time.Minute)
		step.do()
		got := s.health.state("p")
		if failing := got.Fault != nil; failing != step.failing || got.Tested != step.tested {
			t.Errorf("%s: failing %v, in a test %v", step.name, failing, got.Tested)
		}
		if step.failing && !got.Since.Equal(began.Add(step.since)) {
			t.Errorf("%s: failing since %v", step.name, got.Since)
		}
	}
	if s.health.state("other") != nil {
		t.Error("there is a state of a provider that nobody asked")
	}
	s.health.drop("p")
	if s.health.state("p") != nil || s.health.test("p") != nil {
		t.Error("a provider that was changed keeps its state")
	}
}
