package probe

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"slices"
	"sync"
)

// A way is how far one request has come on the network. The transport may
// still write to it when the request is over.
type way struct {
	mu     sync.Mutex
	begun  map[Step]bool
	passed map[Step]bool
}

// networkSteps are the ones that a way knows of.
var networkSteps = []Step{StepName, StepAddress, StepConnect, StepTLS, StepAnswer}

// follow returns a context whose request is followed. It is for one request.
func follow(ctx context.Context) (context.Context, *way) {
	w := &way{begun: make(map[Step]bool), passed: make(map[Step]bool)}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { w.begin(StepName) },
		DNSDone:           func(d httptrace.DNSDoneInfo) { w.end(d.Err, StepName) },
		ConnectStart:      func(_, _ string) { w.begin(StepConnect) },
		ConnectDone:       func(_, _ string, err error) { w.end(err, StepAddress, StepConnect) },
		TLSHandshakeStart: func() { w.begin(StepTLS) },
		TLSHandshakeDone:  func(_ tls.ConnectionState, err error) { w.end(err, StepTLS) },
		GotConn: func(c httptrace.GotConnInfo) {
			w.end(nil, StepAddress, StepConnect)
			if _, ok := c.Conn.(*tls.Conn); ok { // one that was open already
				w.end(nil, StepTLS)
			}
			w.begin(StepAnswer)
		},
		GotFirstResponseByte: func() { w.end(nil, StepAnswer) },
	}), w
}

func (w *way) begin(s Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun[s] = true
}

func (w *way) end(err error, list ...Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range list {
		w.begun[s] = true
		w.passed[s] = w.passed[s] || err == nil
	}
}

// stopped returns the step at which the request was ended: a network step,
// StepStream if the stream had begun, or "" if neither tells.
func (w *way) stopped() Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.passed[StepStream] {
		return StepStream
	}
	for _, s := range slices.Backward(networkSteps) {
		if w.begun[s] && s != StepAddress {
			if w.passed[s] {
				return ""
			}
			return s
		}
	}
	return ""
}

// checks returns every step, passed as far as the request came. A step that
// the request had no need of on the way to its connection is left out.
func (w *way) checks() []Check {
	w.mu.Lock()
	defer w.mu.Unlock()
	connected := w.begun[StepAnswer]
	var list []Check
	for _, s := range steps {
		unneeded := s == StepName && w.begun[StepConnect] || s == StepTLS && connected
		switch {
		case w.passed[s] && s != StepStream:
			list = append(list, Check{s, Passed})
		case w.begun[s] || !unneeded:
			list = append(list, Check{s, Skipped})
		}
	}
	return list
}
