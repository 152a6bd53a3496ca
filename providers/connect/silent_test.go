package connect_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/upstream"
)

// apis are the protocols that a connection can speak.
var apis = []providers.API{providers.APIChatCompletions, providers.APIResponses, providers.APIAnthropic}

// A crowd is a server that never ends an answer by itself, with a count of the
// connections that are open.
type crowd struct {
	*httptest.Server
	open atomic.Int64
}

func newCrowd(t *testing.T, answer func(w http.ResponseWriter, gone <-chan struct{})) *crowd {
	t.Helper()
	c := &crowd{}
	c.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r.Context().Done())
	}))
	c.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			c.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			c.open.Add(-1)
		}
	}
	c.Start()
	t.Cleanup(c.Close)
	return c
}

// stream starts an event stream.
func stream(w http.ResponseWriter) (write func(string) bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	return func(text string) bool {
		_, err := io.WriteString(w, text)
		return err == nil && flush() == nil
	}
}

// A provider that falls silent, drips, or never ends a line costs little and is
// left for a reason that has a name, also a hundred times at once.
func TestProvidersThatNeverEnd(t *testing.T) {
	chunk := strings.Repeat("x", 64<<10)
	tests := map[string]struct {
		answer   func(w http.ResponseWriter, gone <-chan struct{})
		bounds   upstream.Bounds
		category providers.Category
		code     string
	}{
		"silent before the head": {
			func(_ http.ResponseWriter, gone <-chan struct{}) { <-gone },
			upstream.Bounds{FirstByte: 300 * time.Millisecond}, providers.CategoryTimeout, upstream.CodeFirstEventTimeout,
		},
		"silent after the first byte": {
			func(w http.ResponseWriter, gone <-chan struct{}) { stream(w)(":\n"); <-gone },
			upstream.Bounds{Idle: 300 * time.Millisecond}, providers.CategoryTimeout, upstream.CodeIdleTimeout,
		},
		"a byte at a time": {
			func(w http.ResponseWriter, gone <-chan struct{}) {
				write, drip := stream(w), time.NewTicker(20*time.Millisecond)
				defer drip.Stop()
				for write(":\n") {
					select {
					case <-drip.C:
					case <-gone:
						return
					}
				}
			},
			upstream.Bounds{Attempt: time.Second}, providers.CategoryTimeout, upstream.CodeDeadline,
		},
		"a gigabyte in one line": {
			func(w http.ResponseWriter, _ <-chan struct{}) {
				write := stream(w)
				for sent := 0; sent < 1<<30 && write(chunk); sent += len(chunk) {
				}
			},
			upstream.Bounds{}, providers.CategoryParser, upstream.CodeEventTooLarge,
		},
		"a gigabyte of comments": {
			func(w http.ResponseWriter, _ <-chan struct{}) {
				write := stream(w)
				for sent := 0; sent < 1<<30 && write(":"+chunk[1:]+"\n"); sent += len(chunk) {
				}
			},
			upstream.Bounds{Response: 2 << 20}, providers.CategoryParser, upstream.CodeStreamTooLarge,
		},
	}
	for i, api := range apis {
		attempts := 100
		if i > 0 {
			attempts = 10 // the reader is the same one
		}
		for name, test := range tests {
			t.Run(string(api)+"/"+name, func(t *testing.T) {
				server := newCrowd(t, test.answer)
				connections := connect.New()
				p, err := connections.Open(connect.Config{ID: "p_1", API: api, BaseURL: server.URL + "/v1", AllowPrivateNetwork: true, Bounds: test.bounds})
				if err != nil {
					t.Fatal(err)
				}
				before := runtime.NumGoroutine()
				peak := watchMemory(t)
				var wg sync.WaitGroup
				for range attempts {
					wg.Go(func() {
						if err := check(p, test.category, test.code); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
				mem := peak()
				connections.Close()
				settle(t, "connections", func() int { return int(server.open.Load()) }, 0)
				settle(t, "goroutines", runtime.NumGoroutine, before)
				t.Logf("%d attempts took %d MiB at most", attempts, mem>>20)
				// An event may have 4 MiB, and buffers grow by doubling.
				if most := uint64(attempts) * 12 << 20; mem > most {
					t.Errorf("they took %d MiB, want %d at most", mem>>20, most>>20)
				}
			})
		}
	}
}

func check(p providers.Provider, category providers.Category, code string) error {
	request := providers.Request{Model: "m", Messages: []providers.Message{providers.UserMessage{Text: "Hi"}}, Attempt: 1}
	for event, err := range p.Stream(context.Background(), request) {
		if err == nil {
			if f, ok := event.(providers.Finish); ok {
				return fmt.Errorf("got a finish: %+v", f)
			}
			continue
		}
		var e *providers.Error
		if !errors.As(err, &e) || e.Category != category || e.Code != code {
			return fmt.Errorf("got %v, want %s (%s)", err, category, code)
		}
		return nil
	}
	return errors.New("the stream ended without a word")
}

// settle waits until a count is as low as it should be: what was closed needs a
// moment to be gone.
func settle(t *testing.T, what string, count func() int, want int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(10 * time.Second); count() > want; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%d %s are left, want %d", count(), what, want)
		}
	}
}

// watchMemory looks at the heap until the returned function is called, which
// says by how much it grew at most.
func watchMemory(t *testing.T) (peak func() uint64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	start, most := m.HeapAlloc, m.HeapAlloc
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return func() uint64 { close(stop); <-done; return most - start }
}
