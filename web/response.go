package web

import (
	"bufio"
	"net"
	"net/http"
)

// A response wraps a ResponseWriter for middleware. It can be hijacked and
// flushed like the one inside, because the upgrade to a WebSocket asks the
// outermost writer for [http.Hijacker] and does not unwrap.
type response struct {
	http.ResponseWriter
	// beforeHeader, if set, is called once before the header is sent or the
	// connection is handed over. It is the last moment to set a header.
	beforeHeader func()
	status       int // 0 until the header is sent
	bytes        int64
}

var (
	_ http.Hijacker = (*response)(nil)
	_ http.Flusher  = (*response)(nil)
)

// begin records the final status, once.
func (w *response) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if w.beforeHeader != nil {
		w.beforeHeader()
	}
}

// WriteHeader sends the header. Informational statuses pass through.
func (w *response) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.begin(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Hijack hands the connection over, counted as a switch of protocols.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.begin(http.StatusSwitchingProtocols)
	}
	return conn, rw, err
}

// Flush sends what is buffered. A writer inside that can't flush is left alone.
func (w *response) Flush() {
	w.begin(http.StatusOK)
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap serves [http.ResponseController].
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
