package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

const (
	// headerWithin is how long a client may take to send a request's header.
	headerWithin = 10 * time.Second
	// requestWithin is how long it may take to send all of a request. Whoever
	// is slower than that holds a connection for nothing.
	requestWithin = 30 * time.Second
	// idleWithin is how long a connection may wait for its next request.
	idleWithin = 2 * time.Minute
)

// HTTPServer returns a server for the pages. A request that does not arrive
// within 30 seconds is given up; a socket and a stream
// have left that limit behind.
func (s *Server) HTTPServer() *http.Server {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: headerWithin, ReadTimeout: requestWithin, IdleTimeout: idleWithin,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(s.programs.Stop) // it waits for what programs follow
	return server
}

// StopHTTP lets requests end that are under way, until the context ends. What
// is left then is cut off, which is no error: a client must not be able to
// spoil a stop by being slow.
func (s *Server) StopHTTP(ctx context.Context, server *http.Server) error {
	err := server.Shutdown(ctx)
	if err == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	s.log.Warn("requests were cut off by the stop")
	return server.Close()
}
