package web

import (
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// maxBody bounds what a form may send. A message of 128 KiB is 384 KiB at
// most once it is percent-encoded.
const maxBody = 1 << 20

// limitBodies makes reading more than maxBody bytes fail, which is answered
// with 413. It must be outside of everything that reads a body. A file is
// larger than a form; one byte more lets its own limit speak.
func limitBodies(next http.Handler) http.Handler {
	forms, files := http.MaxBytesHandler(next, maxBody), http.MaxBytesHandler(next, agent.MaxAttachment+1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == views.AttachmentsURL {
			files.ServeHTTP(w, r)
		} else {
			forms.ServeHTTP(w, r)
		}
	})
}
