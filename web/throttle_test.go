package web

import (
	"fmt"
	"testing"
	"time"
)

func TestThrottle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	limit := newThrottle(time.Minute, 3)
	for i := range 3 {
		if wait := limit.take("dana", now); wait != 0 {
			t.Fatalf("attempt %d: got a wait of %s, want none", i+1, wait)
		}
	}
	if got := limit.take("dana", now); got != time.Minute {
		t.Errorf("attempt 4: got a wait of %s, want 1m", got)
	}
	// What was refused does not push the next attempt further away.
	if got := limit.take("dana", now.Add(59*time.Second)); got != time.Second {
		t.Errorf("a second early: got a wait of %s, want 1s", got)
	}
	if got := limit.take("dana", now.Add(time.Minute)); got != 0 {
		t.Errorf("a minute later: got a wait of %s, want none", got)
	}
	if got := limit.take("ines", now); got != 0 {
		t.Errorf("another key: got a wait of %s, want none", got)
	}
}

func TestThrottleIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	limit := newThrottle(time.Minute, 1)
	limit.take("dana", now)
	for i := range 4 * throttleSlots {
		limit.take(fmt.Sprint("key ", i), now)
	}
	if got := len(limit.slots); got > throttleSlots {
		t.Errorf("got %d slots, want %d at most", got, throttleSlots)
	}
	if limit.take("dana", now) == 0 {
		t.Error("a flood of other keys gave dana another attempt")
	}
}
