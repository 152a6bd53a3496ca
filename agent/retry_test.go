package agent

import (
	"testing"
	"time"

	"countersign/providers"
)

func TestRetryPolicy_Delay(t *testing.T) {
	t.Parallel()
	five := 5
	long := RetryPolicy{MaxRetries: &five}
	none := 0
	server := ProviderError{Category: providers.CategoryServer, Retryable: true}
	overloaded := ProviderError{Category: providers.CategoryOverloaded, Retryable: true}
	empty := ProviderError{Category: providers.CategoryNetwork, Retryable: true, Code: "empty_stream"}
	after := func(ms int64) ProviderError {
		return ProviderError{Category: providers.CategoryRateLimit, Retryable: true, RetryAfterMS: ms}
	}
	const no = -1
	for _, c := range []struct {
		name   string
		policy RetryPolicy
		number int
		err    ProviderError
		jitter float64
		want   time.Duration
	}{
		{"first", RetryPolicy{}, 1, server, 0.5, 500 * time.Millisecond},
		{"second", RetryPolicy{}, 2, server, 0.5, time.Second},
		{"no third", RetryPolicy{}, 3, server, 0.5, no},
		{"least jitter", RetryPolicy{}, 1, server, 0, 450 * time.Millisecond},
		{"most jitter", RetryPolicy{}, 2, server, 1, 1100 * time.Millisecond},
		{"fifth", long, 5, server, 0.5, 8 * time.Second},
		{"no sixth", long, 6, server, 0.5, no},
		{"the cap", RetryPolicy{MaxRetries: &five, Base: 6 * time.Second}, 2, server, 0.5, 10 * time.Second},
		{"a base over the cap", RetryPolicy{Base: time.Minute}, 1, server, 0.5, 10 * time.Second},
		{"settings", RetryPolicy{Base: 10 * time.Millisecond, Cap: 15 * time.Millisecond}, 2, server, 0.5, 15 * time.Millisecond},
		{"overloaded", RetryPolicy{}, 1, overloaded, 0.5, 2 * time.Second},
		{"overloaded again", RetryPolicy{}, 2, overloaded, 0.5, 4 * time.Second},
		{"overloaded, at most", long, 5, overloaded, 0.5, 10 * time.Second},
		{"overloaded, higher base", RetryPolicy{Base: 3 * time.Second}, 1, overloaded, 0.5, 3 * time.Second},
		{"not retryable", RetryPolicy{}, 1, ProviderError{Category: providers.CategoryServer}, 0.5, no},
		{"none wanted", RetryPolicy{MaxRetries: &none}, 1, server, 0.5, no},
		{"empty", RetryPolicy{}, 1, empty, 0.5, 500 * time.Millisecond},
		{"empty again", RetryPolicy{}, 2, empty, 0.5, no},
		{"asked for, without jitter", RetryPolicy{}, 1, after(7_001), 0.99, 7_001 * time.Millisecond},
		{"asked for, shorter than ours", RetryPolicy{}, 2, after(1), 0.5, time.Millisecond},
		{"asked for, at the cap", RetryPolicy{}, 1, after(60_000), 0.5, time.Minute},
		{"asked for, over the cap", RetryPolicy{}, 1, after(60_001), 0.5, no},
		{"asked for, over a lower cap", RetryPolicy{AfterCap: time.Second}, 1, after(1_001), 0.5, no},
		{"asked for on the last try", RetryPolicy{}, 3, after(1), 0.5, no},
	} {
		got, again := c.policy.withDefaults().delay(c.number, &c.err, c.jitter)
		if again != (c.want != no) || again && got != c.want {
			t.Errorf("%s: %v %v, want %v", c.name, got, again, c.want)
		}
	}
}
