package web

import (
	"log/slog"
	"net/http"
	"strings"

	"countersign/agent"
)

// logRequests names each request and logs how it ended: who asked for which
// route and how long it took. The path of an unknown address, query strings
// and bodies are what somebody typed; they stay out of the log.
//
// It is the outermost middleware.
func (s *Server) logRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := s.config.Now()
		info := &requestInfo{id: agent.NewID("q_")}
		res := &response{ResponseWriter: w}
		res.Header().Set("X-Request-Id", info.id)
		// Deferred, so that an aborted connection leaves a line as well.
		defer func() {
			s.log.LogAttrs(r.Context(), levelOf(info.route, res.status), "request",
				slog.String("request", info.id),
				slog.String("method", methodName(r.Method)),
				slog.String("route", info.route),
				slog.Int("status", res.status),
				slog.Int64("bytes", res.bytes),
				slog.Float64("ms", float64(s.config.Now().Sub(started).Microseconds())/1000),
				slog.String("user", info.user))
		}()
		next.ServeHTTP(res, r.WithContext(withRequest(r.Context(), info)))
	})
}

// noteProgram names the operation that answers a program, and its person.
func noteProgram(r *http.Request, pattern string, user agent.UserID) {
	info := requestOf(r.Context())
	info.route, info.user = pattern, string(user)
}

// levelOf keeps what a browser or a monitor asks for all the time out of an
// ordinary log.
func levelOf(route string, status int) slog.Level {
	routine := strings.HasSuffix(route, staticPath) || strings.HasSuffix(route, "/healthz") || strings.HasSuffix(route, "/readyz")
	if routine && status < http.StatusBadRequest {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// methodName bounds what a client may put into the log.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	default:
		return "other"
	}
}
