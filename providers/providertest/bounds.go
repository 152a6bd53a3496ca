package providertest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/upstream"
)

// soon is a bound that a test can wait for.
const soon = 50 * time.Millisecond

// aborts plays answers that have no end of their own: each is left for a
// reason that has a name, and the connection is closed.
func (s Suite) aborts(t *testing.T) {
	t.Parallel()
	begun, _ := s.closing()
	drip := Events([]byte(strings.Repeat(":\n", 4096)))
	drip.Writes, drip.Pause = []int{2}, time.Millisecond
	tests := []struct {
		name   string
		answer Answer
		bounds upstream.Bounds
		want   providers.Category
		code   string
	}{
		{"no head", Answer{Silent: true}, upstream.Bounds{FirstByte: soon}, providers.CategoryTimeout, upstream.CodeFirstEventTimeout},
		{"no first byte", Events(nil), upstream.Bounds{FirstByte: soon}, providers.CategoryTimeout, upstream.CodeFirstEventTimeout},
		{"silence", Events(begun), upstream.Bounds{Idle: soon}, providers.CategoryTimeout, upstream.CodeIdleTimeout},
		{"drops of comments", drip, upstream.Bounds{Idle: time.Minute, Attempt: 2 * soon}, providers.CategoryTimeout, upstream.CodeDeadline},
		{"an endless line", Events([]byte("data: " + strings.Repeat("x", 64<<10))), upstream.Bounds{Event: 16 << 10}, providers.CategoryParser, upstream.CodeEventTooLarge},
		{"an endless answer", Events([]byte(strings.Repeat(": x\n", 16<<10))), upstream.Bounds{Response: 16 << 10}, providers.CategoryParser, upstream.CodeStreamTooLarge},
		{"an endless error", Answer{Status: 500, Body: []byte(strings.Repeat("x", 2*upstream.MaxErrorBody))}, upstream.Bounds{}, providers.CategoryServer, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.answer.Then = Stall
			server := NewServer(t, tt.answer)
			got := Stream(t.Context(), t, s.Open(t, server.URL, tt.bounds), NewRequest(true))
			s.runs.Add(1)
			if f := got.Failure; f == nil || f.Category != tt.want || f.Code != tt.code || f.API != s.API {
				t.Errorf("got %+v, %v, want %s %s", got.Finish, got.Err, tt.want, tt.code)
			}
			server.AwaitAbort()
		})
	}
	t.Run("silence after the proof", s.silence)
	t.Run("cancel before the proof", func(t *testing.T) { s.cancel(t, false) })
	t.Run("cancel after the proof", func(t *testing.T) { s.cancel(t, true) })
	t.Run("end of the range", s.leave)
}

// closing returns the closing answer up to the line with its proof, and the
// whole of it up to the end of that event.
func (s Suite) closing() (begun, whole []byte) {
	body := s.Closing.Body
	proof := s.Proof(body)
	begun = body[:bytes.LastIndexByte(body[:proof], '\n')+1]
	return begun, append(bytes.Clone(body[:proof]), "\n\n"...)
}

// stall plays a beginning after which nothing comes.
func (s Suite) stall(t *testing.T, body []byte, bounds upstream.Bounds) (*Server, providers.Provider) {
	t.Helper()
	a := Events(body)
	a.Then = Stall
	server := NewServer(t, a)
	s.runs.Add(1)
	return server, s.Open(t, server.URL, bounds)
}

// After the proof the wait is short, and what it cost is only usage.
func (s Suite) silence(t *testing.T) {
	t.Parallel()
	_, whole := s.closing()
	server, p := s.stall(t, whole, upstream.Bounds{Trailer: 1})
	if got := Stream(t.Context(), t, p, NewRequest(false)); got.Finish == nil || got.Text == "" {
		t.Errorf("got %+v", got)
	}
	server.AwaitAbort()
}

// What the caller ended has no answer, also when its proof has arrived.
func (s Suite) cancel(t *testing.T, proved bool) {
	t.Parallel()
	body, whole := s.closing()
	if proved {
		body = whole
	}
	server, p := s.stall(t, body, upstream.Bounds{})
	cause := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var last error
	for ev, err := range p.Stream(ctx, NewRequest(false)) {
		last = err
		if _, ok := ev.(providers.TextDelta); ok {
			cancel(cause)
		}
		if _, ok := ev.(providers.Finish); ok {
			t.Error("got a finish")
		}
	}
	var failure *providers.Error
	if !errors.Is(last, cause) || errors.As(last, &failure) {
		t.Errorf("got %v, want the cause", last)
	}
	server.AwaitAbort()
}

func (s Suite) leave(t *testing.T) {
	t.Parallel()
	server, p := s.stall(t, []byte(": hello\n\n"), upstream.Bounds{})
	for ev, err := range p.Stream(t.Context(), NewRequest(false)) {
		if _, ok := ev.(providers.Activity); !ok || err != nil {
			t.Errorf("got %v, %v, want activity", ev, err)
		}
		break
	}
	server.AwaitAbort()
}

// maxCalls is how many calls an answer may ask for, of any API.
const maxCalls = 128

func (s Suite) manyCalls(t *testing.T) {
	t.Parallel()
	most := s.stream(t, NewRequest(false, "read"), Events(s.Calls(maxCalls)))[0]
	if most.Finish == nil || len(most.Finish.Calls) != maxCalls || most.Finish.Reason != providers.FinishToolCalls {
		t.Fatalf("got %v", most.Failure)
	}
	ids := make(map[string]bool)
	for _, c := range most.Finish.Calls {
		if ids[c.ID] || !c.Executable {
			t.Errorf("got %+v", c)
		}
		ids[c.ID] = true
	}
	more := s.stream(t, NewRequest(false, "read"), Events(s.Calls(maxCalls+1)))[0]
	if f := more.Failure; f == nil || f.Category != providers.CategoryParser || f.Code != upstream.CodeTooManyToolCalls || f.Retryable {
		t.Errorf("got %+v, %v", more.Finish, more.Failure)
	}
}
