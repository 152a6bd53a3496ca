package upstream

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

var requestIDHeaders = []string{
	"X-Request-Id", "Request-Id", "X-Deepseek-Request-Id", "X-Generation-Id",
	"X-Litellm-Call-Id", "Apim-Request-Id", "X-Amzn-Requestid", "X-Goog-Request-Id", "Cf-Ray",
}

// RequestID returns the upstream's id of the request from the first header
// that names one, "" if that id is not one that can be shown.
func RequestID(h http.Header) string {
	for _, name := range requestIDHeaders {
		if id := h.Get(name); id != "" {
			return CleanID(id)
		}
	}
	return ""
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// CleanID returns id if it has the form of a request id, otherwise "".
func CleanID(id string) string {
	if !requestIDPattern.MatchString(id) {
		return ""
	}
	return id
}

// maxDelay is the longest delay that is taken for one. Beyond it the value is
// a fault of the sender, not a wish.
const maxDelay = 24 * time.Hour

// retryAfter returns the delay that the headers, the details or the message
// ask for, 0 when there is none. A date has a resolution of one second, so the
// delay until it is rounded up.
func retryAfter(h http.Header, r report, now time.Time) time.Duration {
	if d := parseDelay(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	if d := parseDelay(h.Get("Retry-After"), time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		seconds := math.Ceil(at.Sub(now).Seconds())
		return plausible(seconds * float64(time.Second))
	}
	if d := plausible(float64(r.delay)); d > 0 {
		return d
	}
	if m := tryAgainPattern.FindStringSubmatch(r.message); m != nil {
		if d, err := time.ParseDuration(m[1]); err == nil {
			return plausible(float64(d))
		}
	}
	return 0
}

var tryAgainPattern = regexp.MustCompile(`try again in ((?:[0-9]+(?:\.[0-9]+)?(?:ms|h|m|s))+)`)

func parseDelay(s string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return plausible(f * float64(unit))
}

// plausible turns nanoseconds into a delay; NaN, negative and absurd values
// become 0.
func plausible(ns float64) time.Duration {
	if ns > 0 && ns <= float64(maxDelay) {
		return time.Duration(ns)
	}
	return 0
}
