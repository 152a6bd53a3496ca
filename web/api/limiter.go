package api

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxIdle is how many limits are kept before those that are full are dropped.
const maxIdle = 1024

// A limiter lets so many things happen in a minute, by key: all at once, and
// then one after the other as time passes. It is safe for use by multiple
// goroutines.
type limiter struct {
	perMinute int

	mu   sync.Mutex
	keys map[string]*rate.Limiter
}

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, keys: make(map[string]*rate.Limiter)}
}

// take counts one thing and returns 0, or else how long to wait for the next
// one. What is refused is not counted.
func (l *limiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.keys[key]
	if limit == nil {
		l.tidy(now)
		limit = rate.NewLimiter(rate.Limit(float64(l.perMinute)/60), l.perMinute)
		l.keys[key] = limit
	}
	one := limit.ReserveN(now, 1)
	wait := one.DelayFrom(now)
	if wait > 0 {
		one.CancelAt(now)
	}
	return wait
}

// back undoes the newest take of a key.
func (l *limiter) back(key string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if limit := l.keys[key]; limit != nil && limit.TokensAt(now) < float64(l.perMinute) {
		limit.ReserveN(now, -1)
	}
}

// tidy forgets limits that stand where a new one would. l.mu is held.
func (l *limiter) tidy(now time.Time) {
	if len(l.keys) < maxIdle {
		return
	}
	for key, limit := range l.keys {
		if limit.TokensAt(now) >= float64(l.perMinute) {
			delete(l.keys, key)
		}
	}
}
