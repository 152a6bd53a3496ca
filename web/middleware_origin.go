package web

import "net/http"

// refuseForeign refuses unsafe requests that a page of another site sent, by
// Sec-Fetch-Site or, in its absence, by Origin. It must be outside of
// everything that changes something.
func (s *Server) refuseForeign(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if s.publicOrigin != "" {
		// A proxy may have rewritten Host, which Origin is compared with.
		if err := protection.AddTrustedOrigin(s.config.PublicURL); err != nil {
			panic("web: the public URL passed New but is no origin")
		}
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.serveError(w, r, errForeignOrigin)
	}))
	return protection.Handler(next)
}
