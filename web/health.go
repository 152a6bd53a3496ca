package web

import (
	"io"
	"net/http"
)

// showHealth says that the process answers.
func (s *Server) showHealth(w http.ResponseWriter, _ *http.Request) error {
	return writePlain(w, http.StatusOK, "ok\n")
}

// showReadiness says whether the server can work, which takes its database.
func (s *Server) showReadiness(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.config.DB.Users().Any(r.Context()); err != nil {
		s.log.ErrorContext(r.Context(), "not ready", "request", requestOf(r.Context()).id, "error", err)
		return writePlain(w, http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return writePlain(w, http.StatusOK, "ok\n")
}

func writePlain(w http.ResponseWriter, status int, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // the client has gone: nobody to tell
	return nil
}
