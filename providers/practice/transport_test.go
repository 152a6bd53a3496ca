package practice_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"countersign/providers/practice"
	"countersign/providers/scripted"
)

func TestTransportStreams(t *testing.T) {
	t.Parallel()
	steps := make(chan struct{})
	wait := func(ctx context.Context, _ time.Duration) error {
		select {
		case <-steps:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	go func() { steps <- struct{}{} }()
	resp := send(t.Context(), t, wait, turn{user: "Show me a short answer."})
	// The role and one word can be read while the service waits to say the
	// second one.
	lines := bufio.NewReader(resp.Body)
	for range 4 {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestServiceStopsWhenTheBodyIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		resp := send(t.Context(), t, nil, turn{user: "Show me a long answer."})
		if _, err := resp.Body.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
		if _, err := resp.Body.Read(make([]byte, 10)); err == nil {
			t.Error("got bytes from a closed body")
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("closing took %s", d)
		}
	}) // which fails if the service's goroutine is still there
}

func TestServiceStopsWithTheContext(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, read := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			resp := send(ctx, t, nil, turn{user: "Show me a long answer."})
			time.AfterFunc(5*time.Second, func() { cancel(gone) })
			if !read {
				<-ctx.Done() // the service is stuck in a write that nobody reads
				synctest.Wait()
			}
			if _, err := io.ReadAll(resp.Body); !errors.Is(err, gone) {
				t.Errorf("got error %v, want the cause of the context", err)
			}
		})
	}
}

func TestRequestEndsWithItsContextBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		body := strings.NewReader(turn{user: "Take your time before you answer."}.body(t))
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, practice.BaseURL+"/chat/completions", body)
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{Transport: practice.Transport(nil)}
		if resp, err := client.Do(req); !errors.Is(err, context.DeadlineExceeded) {
			if err == nil {
				_ = resp.Body.Close()
			}
			t.Errorf("got error %v, want the deadline", err)
		}
	})
}

func TestAnswersAreTheSameAfterARestart(t *testing.T) {
	t.Parallel()
	in := turn{user: "Write a note for me.", tools: allTools()}
	first, second := ask(t, scripted.NoTime, in), ask(t, scripted.NoTime, in)
	if first.text != second.text || first.arguments != second.arguments {
		t.Errorf("got two answers to one request: %+v and %+v", first, second)
	}
}
