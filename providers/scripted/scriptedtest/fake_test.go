package scriptedtest_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// A fakeTB stands for a test that may fail.
type fakeTB struct {
	testing.TB // for what is not looked at

	mu       sync.Mutex
	messages []string
	cleanups []func()
}

func (f *fakeTB) Helper() {}

func (f *fakeTB) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages = append(f.messages, fmt.Sprintf(format, args...))
}

func (f *fakeTB) Error(args ...any) { f.Errorf("%s", fmt.Sprint(args...)) }

func (f *fakeTB) Fatal(args ...any) {
	f.Error(args...)
	runtime.Goexit()
}

func (f *fakeTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }

// during runs a test to its end and returns what it complained about.
func during(t *testing.T, test func(t testing.TB)) []string {
	t.Helper()
	f := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, fn := range f.cleanups {
				fn()
			}
		}()
		test(f)
	}()
	<-done
	return f.messages
}
