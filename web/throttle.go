package web

import (
	"hash/maphash"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// throttleSlots bounds the memory of a throttle.
const throttleSlots = 1 << 14

// A throttle slows down attempts by key. It is safe for use by multiple
// goroutines.
//
// Keys share a fixed number of slots by a hash that is seeded at start. Its
// memory is bounded whatever is thrown at it, nothing is ever evicted (so that
// nobody can flush their own record out), and who shares a slot can't be
// predicted from outside.
type throttle struct {
	every time.Duration // one attempt more after this
	burst int           // attempts at once
	seed  maphash.Seed

	mu    sync.Mutex
	slots map[uint64]*rate.Limiter
}

func newThrottle(every time.Duration, burst int) *throttle {
	return &throttle{every: every, burst: burst, seed: maphash.MakeSeed(), slots: make(map[uint64]*rate.Limiter)}
}

// take counts one attempt and returns 0 if it may go on, or else how long to
// wait for the next one. A refused attempt is not counted.
func (t *throttle) take(key string, now time.Time) time.Duration {
	slot := maphash.String(t.seed, key) % throttleSlots
	t.mu.Lock()
	defer t.mu.Unlock()
	limiter := t.slots[slot]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Every(t.every), t.burst)
		t.slots[slot] = limiter
	}
	attempt := limiter.ReserveN(now, 1)
	wait := attempt.DelayFrom(now)
	if wait > 0 {
		attempt.CancelAt(now)
	}
	return wait
}
