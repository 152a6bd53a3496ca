package web

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"

	"countersign/web/api"
)

// recoverPanics answers a panic of a handler with the page for faults of ours
// and keeps the server running. Only the type of a panic's value is logged,
// unless it is the runtime's own, because a value may hold anything.
//
// It must be inside logRequests, whose line then has the status.
func (s *Server) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		res := &response{ResponseWriter: w}
		defer func() {
			value := recover()
			if value == nil {
				return
			}
			if value == http.ErrAbortHandler {
				panic(value)
			}
			s.log.ErrorContext(r.Context(), "panic",
				"request", requestOf(r.Context()).id, "value", describePanic(value), "stack", string(debug.Stack()))
			if res.status != 0 {
				panic(http.ErrAbortHandler) // too late for another answer
			}
			if strings.HasPrefix(r.URL.Path, api.Prefix) {
				api.Fail(res)
				return
			}
			s.serveError(res, r, errPanicked)
		}()
		next.ServeHTTP(res, r)
	})
}

var errPanicked = errors.New("a handler panicked")

func describePanic(value any) string {
	if fault, ok := value.(runtime.Error); ok {
		return fault.Error()
	}
	return fmt.Sprintf("%T", value)
}
