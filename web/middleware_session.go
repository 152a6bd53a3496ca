package web

import (
	"errors"
	"net/http"

	"countersign/agent"
)

// loadSession finds out who is signed in. A person who was disabled since is
// signed out. It must be inside refuseForeign and outside of every page.
func (s *Server) loadSession(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Cookie")
		found, ok, err := s.sessions.find(r)
		if err != nil {
			s.serveError(w, r, err)
			return
		}
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		user, err := s.config.DB.Users().Get(r.Context(), found.user)
		gone := errors.Is(err, agent.ErrNotFound)
		if err != nil && !gone {
			s.serveError(w, r, err)
			return
		}
		if gone || user.Disabled {
			if err := s.sessions.end(r.Context(), found); err != nil {
				s.serveError(w, r, err)
				return
			}
			s.sessions.clearCookie(w, r)
			next.ServeHTTP(w, r)
			return
		}
		requestOf(r.Context()).user = string(user.ID)
		next.ServeHTTP(w, r.WithContext(withVisit(r.Context(), visit{user: user, signIn: found})))
	})
}
