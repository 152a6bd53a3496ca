package probe

import (
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"testing"
)

// A request that hangs is said to hang where it does, whatever the step.
func TestWayStops(t *testing.T) {
	t.Parallel()
	failed := errors.New("no")
	for name, tt := range map[string]struct {
		events func(*httptrace.ClientTrace)
		want   Step
	}{
		"before it leaves":   {func(*httptrace.ClientTrace) {}, ""},
		"looking for a name": {func(c *httptrace.ClientTrace) { c.DNSStart(httptrace.DNSStartInfo{}) }, StepName},
		"connecting": {func(c *httptrace.ClientTrace) {
			c.DNSStart(httptrace.DNSStartInfo{})
			c.DNSDone(httptrace.DNSDoneInfo{})
			c.ConnectStart("tcp", "a")
		}, StepConnect},
		"one of two addresses connects": {func(c *httptrace.ClientTrace) {
			c.ConnectStart("tcp", "a")
			c.ConnectStart("tcp", "b")
			c.ConnectDone("tcp", "a", nil)
			c.ConnectDone("tcp", "b", failed)
			c.TLSHandshakeStart()
		}, StepTLS},
		"waiting for an answer": {func(c *httptrace.ClientTrace) {
			c.TLSHandshakeStart()
			c.TLSHandshakeDone(tls.ConnectionState{}, nil)
			c.GotConn(httptrace.GotConnInfo{})
		}, StepAnswer},
		"answered": {func(c *httptrace.ClientTrace) {
			c.GotConn(httptrace.GotConnInfo{Reused: true})
			c.GotFirstResponseByte()
		}, ""},
	} {
		ctx, w := follow(t.Context())
		tt.events(httptrace.ContextClientTrace(ctx))
		if got := w.stopped(); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
