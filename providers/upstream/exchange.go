package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"countersign/providers"
	"countersign/providers/sse"
)

// MaxErrorBody is how much of an answer that is no stream is read, and the
// largest frame that is taken for an error, in bytes.
const MaxErrorBody = 64 << 10

// An Exchange is one request and the event stream that answers it. It is for
// one goroutine, which closes it.
type Exchange struct {
	bounds Bounds
	cancel context.CancelCauseFunc
	caller func() error // why the caller ended the exchange, nil if it did not
	cause  func() error // why the exchange ended: the caller, a bound or Close

	deadline  *time.Timer
	first     *time.Timer
	idle      *time.Timer
	trailer   *time.Timer
	connected atomic.Bool

	res    *http.Response
	events *sse.Reader
	head   Answer
}

// An Opener opens exchanges with one connection to a model API.
// It is safe for use by multiple goroutines.
type Opener struct {
	Client *http.Client
	API    providers.API
	Bounds Bounds
}

// Open sends req, which must not carry a context of its own, and returns once
// the head of an event stream has arrived. Whatever else comes back or
// happens is an error: a [*providers.Error], or the cause of ctx if ctx ended.
// No redirect is followed and nothing is sent twice.
func (o Opener) Open(ctx context.Context, req *http.Request) (*Exchange, error) {
	x := &Exchange{bounds: o.Bounds.withDefaults(), head: Answer{API: o.API}}
	bounded, cancel := context.WithCancelCause(ctx)
	x.cancel = cancel
	x.caller = func() error { return context.Cause(ctx) }
	x.cause = func() error { return context.Cause(bounded) }
	x.deadline = x.expire(x.bounds.Attempt, CodeDeadline)
	x.first = x.expire(x.bounds.FirstByte, CodeFirstEventTimeout)

	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { x.connected.Store(true) }}
	req = req.WithContext(httptrace.WithClientTrace(bounded, trace))
	req.GetBody = nil // without it the transport can't repeat the request
	once := *o.Client
	once.CheckRedirect, once.Timeout = noRedirect, 0

	res, err := once.Do(req)
	if err != nil {
		err = x.requestError(err)
		x.Close()
		return nil, err
	}
	x.res = res
	x.head.Status, x.head.Header = res.StatusCode, res.Header
	if err := x.begin(); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// begin accepts the answer if it is a stream.
func (x *Exchange) begin() error {
	body := io.Reader((*timedBody)(x))
	if x.res.StatusCode >= 200 && x.res.StatusCode <= 299 {
		head, isStream := x.sniff(body)
		body = io.MultiReader(bytes.NewReader(head), body)
		if isStream {
			x.events = sse.NewReader(body, sse.Limits{Event: x.bounds.Event, Stream: x.bounds.Response})
			return nil
		}
	}
	// A body that breaks off still tells what it told before.
	text, err := io.ReadAll(io.LimitReader(body, MaxErrorBody))
	if cause := x.caller(); err != nil && cause != nil {
		return cause
	}
	answer := x.head
	answer.Body, answer.Now = text, time.Now()
	return Classify(answer)
}

// sniff reports whether the body is an event stream. Some servers name no
// content type: then the first bytes decide, and are returned.
func (x *Exchange) sniff(body io.Reader) (head []byte, isStream bool) {
	declared := x.res.Header.Get("Content-Type")
	if declared != "" {
		mediaType, _, err := mime.ParseMediaType(declared)
		return nil, err == nil && mediaType == "text/event-stream"
	}
	buf := make([]byte, 64)
	for n := 0; n < len(buf); {
		more, err := body.Read(buf[n:])
		n += more
		head = buf[:n]
		if is, known := looksLikeEvents(head); known {
			return head, is
		}
		if err != nil {
			return head, n == 0 && err == io.EOF
		}
	}
	return head, false
}

func looksLikeEvents(head []byte) (is, known bool) {
	bom := []byte("\xef\xbb\xbf")
	if len(head) < len(bom) && bytes.HasPrefix(bom, head) {
		return false, false
	}
	head = bytes.TrimPrefix(head, bom)
	head = bytes.TrimLeft(head, "\r\n")
	for _, field := range []string{":", "data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return true, true
		}
		known = known || bytes.HasPrefix([]byte(field), head)
	}
	return false, !known
}

// Next returns the next event or comment of the stream. At the clean end it
// returns [io.EOF]; any other error is final and as Open's.
func (x *Exchange) Next() (sse.Event, error) {
	ev, err := x.events.Next()
	if err == nil || err == io.EOF {
		return ev, err
	}
	if ended := x.ended(); ended != nil {
		return ev, ended
	}
	switch {
	case errors.Is(err, sse.ErrEventTooLarge):
		return ev, x.head.Error(providers.CategoryParser, CodeEventTooLarge)
	case errors.Is(err, sse.ErrStreamTooLarge):
		return ev, x.head.Error(providers.CategoryParser, CodeStreamTooLarge)
	}
	return ev, x.head.Error(providers.CategoryNetwork, CodeStreamEndedEarly)
}

// Settle tells that the answer has proved to be complete: what may still
// follow gets [Bounds].Trailer.
func (x *Exchange) Settle() {
	if x.trailer == nil {
		x.trailer = x.expire(x.bounds.Trailer, CodeIdleTimeout)
	}
}

// Close aborts whatever still runs. The connection is closed when it returns.
func (x *Exchange) Close() {
	x.cancel(context.Canceled)
	for _, t := range []*time.Timer{x.deadline, x.first, x.idle, x.trailer} {
		if t != nil {
			t.Stop()
		}
	}
	if x.res != nil {
		_ = x.res.Body.Close()
	}
}

// Head returns the head of the answer, which describes the failures found in
// its stream and says who to ask about them.
func (x *Exchange) Head() Answer { return x.head }

// expire ends the exchange after d.
func (x *Exchange) expire(d time.Duration, code string) *time.Timer {
	return time.AfterFunc(d, func() { x.cancel(NewError(x.head.API, providers.CategoryTimeout, code)) })
}

// ended returns why the exchange was ended from this side, nil if it was not.
func (x *Exchange) ended() error {
	if cause := x.caller(); cause != nil {
		return cause
	}
	var bound *providers.Error
	if errors.As(x.cause(), &bound) {
		return x.head.Error(bound.Category, bound.Code)
	}
	return nil
}

// timedBody is the body of the answer with the clocks that its bytes stop and
// start. The idle clock runs only while a read waits, so that a slow consumer
// is not taken for a silent upstream.
type timedBody Exchange

func (t *timedBody) Read(p []byte) (int, error) {
	x := (*Exchange)(t)
	if x.idle != nil {
		x.idle.Reset(x.bounds.Idle)
	}
	n, err := x.res.Body.Read(p)
	switch {
	case x.idle != nil:
		x.idle.Stop()
	case n > 0:
		x.first.Stop()
		x.idle = x.expire(x.bounds.Idle, CodeIdleTimeout)
		x.idle.Stop()
	}
	return n, err
}
