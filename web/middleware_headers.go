package web

import "net/http"

// contentPolicy allows what a page of ours consists of and nothing else: own
// scripts, styles and images, forms and sockets back to this server.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secureHeaders sets what protects a page in the browser. It must be outside
// of everything that may answer.
func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: it makes browsers send "Origin: null" with forms,
		// which over plain HTTP is all there is to tell our own from others'.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		// Pages are private; assets say otherwise themselves.
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
