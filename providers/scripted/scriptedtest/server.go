package scriptedtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/scripted"
)

// reachTimeout bounds how long [Server.Reached] waits, so that a test that
// waits for what never comes says so.
const reachTimeout = 20 * time.Second

// A Server is a strict upstream that speaks Chat Completions over HTTP.
// Its methods are safe for use by multiple goroutines.
type Server struct {
	// URL is the base address, without a slash at the end:
	// URL + "/chat/completions" takes requests and URL + "/models" lists the
	// model scripted-1.
	URL string

	t     testing.TB
	http  *httptest.Server
	stage *scripted.Stage
	once  sync.Once

	mu   sync.Mutex
	sent []Sent
}

// A Sent is a request as it came over the wire.
type Sent struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// NewServer starts a server that performs the script. It is closed when the
// test ends.
func NewServer(t testing.TB, script string) *Server {
	t.Helper()
	s := &Server{t: t, stage: newStage(t, script)}
	handler := s.stage.Handler()
	s.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.record(r)
		handler.ServeHTTP(w, r)
	}))
	s.URL = s.http.URL + "/v1"
	t.Cleanup(s.Close)
	return s
}

// Close ends the open streams, stops the server and reports to the test what
// went wrong. Only the first call does anything.
func (s *Server) Close() {
	s.once.Do(func() {
		s.t.Helper()
		s.http.CloseClientConnections()
		s.http.Close()
		report(s.t, s.stage)
	})
}

// Reached waits until a stream stands at the gate, and fails the test when
// none comes there. It must be called from the test's own goroutine.
func (s *Server) Reached(gate string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), reachTimeout)
	defer cancel()
	if err := s.stage.Reached(ctx, gate); err != nil {
		s.t.Fatal(err)
	}
}

// Release opens a gate for good.
func (s *Server) Release(gate string) {
	s.t.Helper()
	if err := s.stage.Release(gate); err != nil {
		s.t.Error(err)
	}
}

// Requests returns the well-formed model calls so far, in the order they came.
func (s *Server) Requests() []providers.Request { return s.stage.Requests() }

// Remaining counts the responses that nobody asked for yet.
func (s *Server) Remaining() int { return s.stage.Remaining() }

// Sent returns every request so far as it came, in the order they came.
func (s *Server) Sent() []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sent)
}

func (s *Server) record(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone; the handler finds the same
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, Sent{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
}
