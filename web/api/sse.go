package api

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"countersign/agent"
)

// An eventWriter writes server-sent events. It belongs to one goroutine.
type eventWriter struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	within time.Duration // for a write
	buffer bytes.Buffer
}

// begin sends the header. From here on the request is not bound by the time
// that the server gives requests to arrive.
func begin(w http.ResponseWriter, within time.Duration) (*eventWriter, error) {
	e := &eventWriter{w: w, rc: http.NewResponseController(w), within: within}
	if err := e.rc.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no") // proxies pass events on as they come
	w.WriteHeader(http.StatusOK)
	e.comment("follows")
	return e, e.flush()
}

// event adds an event of one line of JSON (trap 42). The id is the newest
// record that the reader has everything of.
func (e *eventWriter) event(id agent.Seq, data any) {
	e.buffer.WriteString("id: ")
	e.buffer.WriteString(strconv.FormatInt(int64(id), 10))
	e.buffer.WriteString("\ndata: ")
	e.buffer.Write(encode(data))
	e.buffer.WriteString("\n\n")
}

// comment adds a line that readers pass over.
func (e *eventWriter) comment(text string) {
	e.buffer.WriteString(": ")
	e.buffer.WriteString(text)
	e.buffer.WriteString("\n\n")
}

// flush sends what was added. A reader that does not take it in time is given
// up.
func (e *eventWriter) flush() error {
	if e.buffer.Len() == 0 {
		return nil
	}
	defer e.buffer.Reset()
	if err := e.rc.SetWriteDeadline(time.Now().Add(e.within)); err != nil {
		return err
	}
	if _, err := e.w.Write(e.buffer.Bytes()); err != nil {
		return err
	}
	return e.rc.Flush()
}

// pause waits, or reports that the stream has ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
