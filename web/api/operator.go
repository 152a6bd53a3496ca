package api

import (
	"context"
	"net/http"

	"countersign/models"
)

type operatorKey struct{}

// Operator answers a command of whoever runs the server, in the name of a
// person. It asks for no key: whoever may call it says that it may.
func (s *Server) Operator(as models.User) http.Handler {
	h := s.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := caller{user: as, operator: true}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), operatorKey{}, c)))
	})
}
