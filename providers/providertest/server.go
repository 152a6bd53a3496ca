package providertest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Nobody is an address at which nothing listens. The port of a server that was
// closed would do only until another one is given it.
const Nobody = "http://127.0.0.1:1"

// An Ending says what happens after the last byte of an [Answer].
type Ending int

const (
	// Close ends the body properly.
	Close Ending = iota
	// Cut ends the connection without ending the body.
	Cut
	// Reset does so with a RST.
	Reset
	// Stall sends nothing more until the client gives up.
	Stall
)

// An Answer is what the server sends for one request.
type Answer struct {
	Status int               // zero means 200
	Header map[string]string // nothing is added to it but the date
	Body   []byte

	// Writes are the sizes of the flushed writes; the last one repeats. Empty
	// means one write.
	Writes []int
	Pause  time.Duration // between them
	// Silent withholds even the head; only Stall can follow.
	Silent bool
	Then   Ending
}

// Events returns an answer that is an event stream.
func Events(body []byte) Answer {
	return Answer{Header: map[string]string{"content-type": "text/event-stream"}, Body: body}
}

// A Request is what a client sent.
type Request struct {
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// A Server plays its script, one answer for each request, in order.
// Its methods are safe for use by multiple goroutines.
type Server struct {
	URL string

	t       testing.TB
	aborted chan struct{} // one value for each stalled request given up
	closing chan struct{}

	mu       sync.Mutex
	script   []Answer
	requests []Request
}

// NewServer starts a server on a loopback address. It stops at the end of the
// test, which then fails if a part of the script was not played.
func NewServer(t testing.TB, script ...Answer) *Server {
	t.Helper()
	s := &Server{t: t, script: script, aborted: make(chan struct{}, len(script)), closing: make(chan struct{})}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.closing)
		server.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if n := len(s.script); n > 0 {
			t.Errorf("providertest: %d answers were not asked for", n)
		}
	})
	return s
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// AwaitAbort waits until the client has given up a stalled request. It fails
// the test after ten seconds.
func (s *Server) AwaitAbort() {
	s.t.Helper()
	select {
	case <-s.aborted:
	case <-time.After(10 * time.Second):
		s.t.Error("providertest: the client keeps the connection open")
	}
}

// ServeHTTP plays the next answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Errorf("providertest: read the request: %v", err)
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Header: r.Header, Body: body})
	if len(s.script) == 0 {
		s.mu.Unlock()
		s.t.Errorf("providertest: unexpected request %s %s", r.Method, r.URL.Path)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	answer := s.script[0]
	s.script = s.script[1:]
	s.mu.Unlock()

	if !answer.Silent {
		answer.send(w, r.Context().Done())
	}
	switch answer.Then {
	case Cut:
		panic(http.ErrAbortHandler)
	case Reset:
		s.reset(w)
	case Stall:
		select {
		case <-r.Context().Done():
			s.aborted <- struct{}{}
		case <-s.closing:
		}
	}
}

func (a Answer) send(w http.ResponseWriter, gone <-chan struct{}) {
	w.Header()["Content-Type"] = nil // no guess from the bytes
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	flush := http.NewResponseController(w).Flush
	_ = flush()
	for i, rest := 0, a.Body; len(rest) > 0; i++ {
		n := len(rest)
		if len(a.Writes) > 0 {
			n = min(n, a.Writes[min(i, len(a.Writes)-1)])
		}
		// A client that has gone away is no fault of the script.
		if _, err := w.Write(rest[:n]); err != nil {
			return
		}
		_ = flush()
		rest = rest[n:]
		a.pause(gone)
	}
}

func (a Answer) pause(gone <-chan struct{}) {
	if a.Pause == 0 {
		return
	}
	select {
	case <-time.After(a.Pause):
	case <-gone:
	}
}

func (s *Server) reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.t.Errorf("providertest: take over the connection: %v", err)
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
