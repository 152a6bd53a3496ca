package practice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"countersign/providers/scripted"
)

// Transport returns a round tripper that sends every request to the practice
// service inside the process, whatever its host. The answer streams: a piece
// can be read as soon as it was written. wait is that of [Handler].
//
// The service stops when the request's context ends or the body is closed;
// closing waits for that. As with any transport, the body must be read to its
// end or closed, or the context ended.
func Transport(wait scripted.Wait) http.RoundTripper { return inProcess{Handler(wait)} }

// inProcess calls a handler instead of a server.
type inProcess struct{ handler http.Handler }

var errBodyClosed = errors.New("the response body was closed")

// RoundTrip implements [http.RoundTripper].
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	in := req.Clone(ctx)
	if in.Body == nil {
		in.Body = http.NoBody
	}
	reader, writer := io.Pipe()
	// A write that nobody reads has to end with the context too.
	stop := context.AfterFunc(ctx, func() { _ = writer.CloseWithError(context.Cause(ctx)) })
	w := &pipeWriter{header: http.Header{}, body: writer, ready: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.handler.ServeHTTP(w, in)
		w.WriteHeader(http.StatusOK) // in case the handler wrote nothing
		_ = in.Body.Close()
		stop()
		_ = writer.CloseWithError(context.Cause(ctx)) // nil makes it a plain end
		cancel(nil)
	}()
	select {
	case <-w.ready:
	case <-ctx.Done():
		<-done
		return nil, context.Cause(ctx)
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.sent,
		Body:          &pipeBody{PipeReader: reader, cancel: cancel, done: done},
		ContentLength: -1,
		Request:       req,
	}, nil
}

// A pipeBody is the reading end of an answer.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelCauseFunc
	done   <-chan struct{}
}

// Close stops the handler and waits until it has returned.
func (b *pipeBody) Close() error {
	b.cancel(errBodyClosed)
	err := b.PipeReader.Close()
	<-b.done
	return err
}

// A pipeWriter is the writing end, as the handler sees it.
type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter

	once   sync.Once
	ready  chan struct{} // closed when the fields below are set
	status int
	sent   http.Header
}

func (w *pipeWriter) Header() http.Header { return w.header }

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *pipeWriter) Write(data []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(data)
}

// Flush implements [http.Flusher]. The pipe holds nothing back, so only the
// headers may still have to go.
func (w *pipeWriter) Flush() { w.WriteHeader(http.StatusOK) }
