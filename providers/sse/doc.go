// Package sse reads text/event-stream bodies as the WHATWG HTML standard
// describes them, with bounds and with an honest end.
//
// It knows nothing of any model API: an adapter judges the data. It keeps what
// an adapter needs for that judgement and a browser does not: comments, and
// whether the last event was closed by a blank line or by the end of the body.
package sse
