package web

import "net/http"

// maxBody bounds what a form may send. A message of 128 KiB is 384 KiB at
// most once it is percent-encoded.
const maxBody = 1 << 20

// limitBodies makes reading more than maxBody bytes fail, which is answered
// with 413. It must be outside of everything that reads a body.
func limitBodies(next http.Handler) http.Handler { return http.MaxBytesHandler(next, maxBody) }
