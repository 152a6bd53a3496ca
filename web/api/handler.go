package api

import (
	"net/http"
	"slices"
	"strings"
)

// Handler serves everything under [Prefix].
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, op := range operations() {
		mux.HandleFunc(op.pattern(), func(w http.ResponseWriter, r *http.Request) {
			if err := s.serve(w, r, op); err != nil {
				s.refuse(w, r, err)
			}
		})
	}
	mux.HandleFunc("GET "+DocumentPath, func(w http.ResponseWriter, r *http.Request) {
		s.Routed(r, r.Pattern, "")
		writeJSON(w, http.StatusOK, encode(Document()))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.refuseUnrouted(mux, w, r) })
	return mux
}

// serve answers a request for an operation, or returns why it does not.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, op operation) error {
	s.Routed(r, op.pattern(), "")
	who, err := s.identify(r)
	if err != nil {
		return err
	}
	s.Routed(r, op.pattern(), who.owner())
	if !who.may(op.scope) || who.end != nil && op.programs {
		return errScope(string(op.scope))
	}
	c := &call{Request: r, w: w, caller: who}
	if op.follow != nil && r.Method != op.method {
		return errMethod(op.method) // the head of a stream would have no end
	}
	if op.follow != nil {
		return op.follow(s, c)
	}
	if op.in != nil {
		if c.body, err = readBody(w, r); err != nil {
			return err
		}
		if len(c.body) == 0 && !op.optional {
			return errJSON("it is empty")
		}
	}
	if op.idempotent {
		if c.id, c.named, err = idOf(r, who); err != nil {
			return err
		}
	}
	a, err := s.once(r.Context(), c, func() (answer, error) { return op.do(s, c) })
	if err != nil {
		return err
	}
	if a.replayed {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	if a.kind != "" {
		w.Header().Set("Content-Type", a.kind)
		w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
		_, _ = w.Write(a.file) // the program has gone: nobody to tell
		return nil
	}
	writeJSON(w, a.status, a.encoded())
	return nil
}

// refuse answers a request that an operation returned an error for. Only what
// is unknown is logged.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	said := errorOf(err)
	if said == errInternal && r.Context().Err() == nil {
		s.log.ErrorContext(r.Context(), "API request failed", "request", w.Header().Get("X-Request-Id"), "route", r.Pattern, "error", err)
	}
	said.write(w)
}

// refuseUnrouted tells an unknown address from a known one that was asked in
// the wrong way.
func (s *Server) refuseUnrouted(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	s.Routed(r, Prefix, "")
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != "/" {
			allow = append(allow, method)
		}
	}
	if len(allow) > 0 {
		errMethod(strings.Join(slices.Compact(allow), ", ")).write(w)
		return
	}
	errNotFound.write(w)
}
