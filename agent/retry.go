package agent

import (
	"time"

	"countersign/providers"
)

// A RetryPolicy bounds the tries of a model call. A zero field means its
// default; see [RetryPolicy.withDefaults].
type RetryPolicy struct {
	MaxRetries *int          // 0 to 5, default 2
	Base       time.Duration // first delay, default 500 ms
	Cap        time.Duration // longest delay, default 10 s
	AfterCap   time.Duration // longest delay a provider may ask for, default 60 s
}

// overloadedBase is the first delay after an overloaded provider: trying again
// at once makes matters worse.
const overloadedBase = 2 * time.Second

func (p RetryPolicy) withDefaults() RetryPolicy {
	if p.MaxRetries == nil {
		two := 2
		p.MaxRetries = &two
	}
	if p.Base <= 0 {
		p.Base = 500 * time.Millisecond
	}
	if p.Cap <= 0 {
		p.Cap = 10 * time.Second
	}
	if p.AfterCap <= 0 {
		p.AfterCap = time.Minute
	}
	return p
}

// tries returns the most tries that a model call may have.
func (p RetryPolicy) tries() int { return *p.MaxRetries + 1 }

// delay returns how long to wait after a failed try, or false when there is to
// be no other. number is the try that failed, from 1; jitter is in [0, 1).
//
// A delay that the provider asked for is kept exactly, or ends the tries when
// it is over the cap: it is never shortened (contract 2.2).
func (p RetryPolicy) delay(number int, err *ProviderError, jitter float64) (time.Duration, bool) {
	tries := p.tries()
	if err.Code == "empty_stream" {
		tries = min(tries, 2)
	}
	if !err.Retryable || number >= tries {
		return 0, false
	}
	if after := time.Duration(err.RetryAfterMS) * time.Millisecond; after > 0 {
		return after, after <= p.AfterCap
	}
	d := p.Base
	if err.Category == providers.CategoryOverloaded {
		d = max(d, overloadedBase)
	}
	for range number - 1 {
		d = min(2*d, p.Cap)
	}
	d = min(d, p.Cap)
	return d + time.Duration((jitter-0.5)*0.2*float64(d)), true
}
