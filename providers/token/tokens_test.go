package token_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/token"
)

var start = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// A clock stands until it is set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(after time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = start.Add(after)
}

// A printing is a command whose output can be changed and whose runs are
// counted.
type printing struct {
	t     *testing.T
	file  string
	clock *clock
	*token.Tokens
}

func newPrinting(t *testing.T) *printing {
	t.Helper()
	p := &printing{t: t, file: filepath.Join(t.TempDir(), "output"), clock: &clock{at: start}}
	p.Tokens = token.New(token.Config{Now: p.clock.now})
	t.Cleanup(p.Close)
	return p
}

func (p *printing) print(text string) {
	p.t.Helper()
	if err := os.WriteFile(p.file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *printing) token() (string, error) {
	return p.Token(p.t.Context(), "p_1", self(p.t, "count", p.file))
}

// want asks for a token and counts the runs since the beginning.
func (p *printing) want(when, want string, runs int) {
	p.t.Helper()
	got, err := p.token()
	if err != nil || got != want {
		p.t.Errorf("%s: got %q, %v, want %q", when, got, err, want)
	}
	p.ran(when, runs)
}

// wantFailure asks for a token that there is not.
func (p *printing) wantFailure(when string, runs int) {
	p.t.Helper()
	got, err := p.token()
	var failure *providers.Error
	if !errors.As(err, &failure) || failure.Code != providers.CodeTokenCommandFailed ||
		failure.Category != providers.CategoryConfiguration || failure.Retryable || got != "" {
		p.t.Errorf("%s: got %q, %v, want a failed command", when, got, err)
	}
	p.ran(when, runs)
}

func (p *printing) ran(when string, runs int) {
	p.t.Helper()
	counted, err := os.ReadFile(p.file + ".count")
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(counted) != runs {
		p.t.Errorf("%s: %d runs, %v, want %d", when, len(counted), err, runs)
	}
}

func TestTokens_RefreshedAheadOfExpiry(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.print(printed("one", start.Add(time.Hour)))
	p.want("at first", "one", 1)
	p.want("again", "one", 1)
	p.clock.set(53 * time.Minute)
	p.want("seven minutes before the end", "one", 1)
	p.print(printed("two", start.Add(2*time.Hour)))
	p.clock.set(time.Hour - 5*time.Second)
	p.want("right before the end", "two", 2)
	p.clock.set(3 * time.Hour)
	p.print(printed("three", start.Add(3*time.Hour+20*time.Second)))
	p.want("after the end", "three", 3)
	p.clock.set(3*time.Hour + 9*time.Second)
	p.want("in the first half of a short life", "three", 3)
}

// While there is time, nobody waits for the next token.
func TestTokens_InTheBackground(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.print(printed("one", start.Add(time.Hour)))
	p.want("at first", "one", 1)
	p.clock.set(55 * time.Minute)
	p.print(printed("two", start.Add(2*time.Hour)))
	if got, err := p.token(); got != "one" || err != nil {
		t.Errorf("five minutes before the end: got %q, %v, want the one that holds", got, err)
	}
	p.Close() // it waits for the command, or stops it
	if got, err := p.token(); err != nil || got != "one" && got != "two" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTokens_StillValidWhileTheRefreshFails(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.print(printed("one", start.Add(time.Hour)))
	p.want("at first", "one", 1)
	p.print("no token")
	p.clock.set(time.Hour - 4*time.Second)
	p.want("the refresh fails", "one", 2)
	p.want("it is not tried again at once", "one", 2)
	p.clock.set(time.Hour)
	p.wantFailure("the token has ended", 2)
	p.print(printed("two", start.Add(2*time.Hour)))
	p.clock.set(time.Hour + 2*time.Second)
	p.want("after the pause", "two", 3)
}

// A command that fails is not started for every attempt.
func TestTokens_Pause(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.print("no token")
	p.wantFailure("at first", 1)
	p.wantFailure("at once", 1)
	p.clock.set(5 * time.Second)
	p.wantFailure("after five seconds", 2)
	p.clock.set(14 * time.Second)
	p.wantFailure("after nine more", 2)
	p.clock.set(15 * time.Second)
	p.wantFailure("after ten", 3)
	for i := range 6 {
		p.clock.set(15*time.Second + time.Duration(i+1)*time.Minute)
		p.wantFailure("a minute later", 4+i)
	}
	p.clock.set(time.Hour)
	p.print(printed("one", start.Add(2*time.Hour)))
	p.want("once it works", "one", 10)
}

func TestTokens_OneRefreshForAllWhoWait(t *testing.T) {
	t.Parallel()
	p := newPrinting(t)
	p.print(printed("one", start.Add(time.Hour)))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := p.token(); got != "one" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	all.Wait()
	p.ran("for all", 1)
}

func TestTokens_ChangedCommandActsAtOnce(t *testing.T) {
	t.Parallel()
	tokens := token.New(token.Config{})
	defer tokens.Close()
	for _, want := range []string{"one", "two", "one"} {
		got, err := tokens.Token(t.Context(), "p_1", self(t, "print", printed(want, time.Now().Add(time.Hour))))
		if got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestTokens_Failures(t *testing.T) {
	t.Parallel()
	hour := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name    string
		command token.Command
		reason  string
	}{
		{"no such program", token.Command{Argv: []string{filepath.Join(t.TempDir(), "nowhere")}}, "could not be started"},
		{"a status", self(t, "fail"), "status 7"},
		{"no JSON", self(t, "print", secret), "did not print a token"},
		{"nothing", self(t, "print", ""), "did not print a token"},
		{"no token", self(t, "print", printed("", hour)), "did not print a token"},
		{"no expiry", self(t, "print", `{"token":"`+secret+`"}`), "did not print a token"},
		{"another time format", self(t, "print", `{"token":"`+secret+`","expires_at":"tomorrow"}`), "did not print a token"},
		{"seconds since 1970", self(t, "print", `{"token":"`+secret+`","expires_at":1900000000}`), "did not print a token"},
		{"two objects", self(t, "print", printed(secret, hour)+printed(secret, hour)), "did not print a token"},
		{"two lines in a token", self(t, "print", printed(secret+"\nX: y", hour)), "other characters"},
		{"expired", self(t, "print", printed(secret, time.Now().Add(-time.Minute))), "has expired"},
		{"too much", self(t, "flood"), "printed too much"},
		{"too slow", self(t, "hang"), "took too long"},
		{"output left open", self(t, "orphan", printed(secret, hour)), "kept its output open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			config := token.Config{Log: slog.New(slog.NewTextHandler(&log, nil))}
			if c.name == "too slow" {
				config.Limit = 100 * time.Millisecond
			}
			tokens := token.New(config)
			got, err := tokens.Token(t.Context(), "p_1", c.command)
			tokens.Close()
			var failure *providers.Error
			if !errors.As(err, &failure) || failure.Code != providers.CodeTokenCommandFailed || got != "" {
				t.Errorf("got %q, %v", got, err)
			}
			if !strings.Contains(log.String(), c.reason) || !strings.Contains(log.String(), "connection=p_1") {
				t.Errorf("the log is %q, want %q", log.String(), c.reason)
			}
			if all := log.String() + err.Error(); strings.Contains(all, "canary") {
				t.Errorf("what the command printed is in %q", all)
			}
		})
	}
}

func TestTokens_Environment(t *testing.T) {
	t.Parallel()
	values := map[string]string{"PATH": "the-path", "HOME": "the-home", "GIVEN": "given", "KEPT": secret}
	tokens := token.New(token.Config{Getenv: func(name string) string { return values[name] }})
	defer tokens.Close()
	c := self(t, "environment")
	c.Env = []string{"GIVEN", "NOT_SET"}
	got, err := tokens.Token(t.Context(), "p_1", c)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PATH=the-path", "HOME=the-home", "GIVEN=given"} {
		if !strings.Contains(got, want) {
			t.Errorf("it sees %s, want %s in it", got, want)
		}
	}
	for _, never := range []string{"KEPT", secret, "NOT_SET"} {
		if strings.Contains(got, never) {
			t.Errorf("it sees %s", got)
		}
	}
}

// Whoever waits may leave; the command goes on for the others.
func TestTokens_CallerLeaves(t *testing.T) {
	t.Parallel()
	tokens := token.New(token.Config{})
	defer tokens.Close()
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := tokens.Token(ctx, "p_1", self(t, "hang")); !errors.Is(err, gone) {
		t.Errorf("got %v, want the cause", err)
	}
}

// The end of a command is the end of what it started.
func TestTokens_CloseEndsTheFamily(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	tokens := token.New(token.Config{Limit: time.Minute})
	failed := make(chan error, 1)
	go func() {
		_, err := tokens.Token(t.Context(), "p_1", self(t, "family", listener.Addr().String()))
		failed <- err
	}()
	child, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	tokens.Close()
	tokens.Close()
	if err := <-failed; err == nil {
		t.Error("a token came of it")
	}
	if n, err := child.Read(make([]byte, 1)); n != 0 || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read %d, %v, want the end of the child", n, err)
	} else if !errors.Is(err, io.EOF) && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	if _, err := tokens.Token(t.Context(), "p_1", self(t, "hang")); err == nil {
		t.Error("a closed one starts commands")
	}
}
