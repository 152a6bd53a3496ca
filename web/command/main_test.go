package command_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// program is the built program; the tests see it from outside.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "countersign-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "countersign")
	if out, err := exec.Command("go", "build", "-o", program, "countersign").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// A place is a data directory and all that was said about it.
type place struct {
	t    *testing.T
	dir  string
	said *transcript
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{t: t, dir: filepath.Join(t.TempDir(), "data"), said: &transcript{}}
}

// A transcript collects what processes print.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *transcript) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A result is how a command ended.
type result struct {
	code        int
	out, errors string
}

// try runs a command.
func (p *place) try(stdin string, args ...string) result {
	p.t.Helper()
	var out, errs bytes.Buffer
	c := exec.CommandContext(p.t.Context(), program, args...)
	c.Env = append(os.Environ(), "COUNTERSIGN_DATA="+p.dir)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), io.MultiWriter(&out, p.said), io.MultiWriter(&errs, p.said)
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// do runs a command that is to succeed, and returns what it printed.
func (p *place) do(args ...string) string {
	p.t.Helper()
	return p.feed("", args...)
}

func (p *place) feed(stdin string, args ...string) string {
	p.t.Helper()
	got := p.try(stdin, args...)
	if got.code != 0 || got.errors != "" {
		p.t.Fatalf("countersign %s: exit code %d\n%s%s", strings.Join(args, " "), got.code, got.out, got.errors)
	}
	return got.out
}

// refused runs a command that is to fail with a code and words.
func (p *place) refused(code int, words string, args ...string) {
	p.t.Helper()
	got := p.try("", args...)
	if got.code != code || !strings.Contains(got.out+got.errors, words) {
		p.t.Errorf("countersign %s: exit code %d, want %d and %q\n%s%s", strings.Join(args, " "), got.code, code, words, got.out, got.errors)
	}
}

// A server is a running one.
type server struct {
	t    *testing.T
	url  string
	proc *exec.Cmd
	dead chan struct{} // closed when the process has ended
}

// serve starts a server and waits until it serves. It is stopped when the test
// ends, unless it was before.
func (p *place) serve(args ...string) *server {
	p.t.Helper()
	c := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "debug"}, args...)...)
	c.Env = append(os.Environ(), "COUNTERSIGN_DATA="+p.dir)
	c.Stderr = p.said
	stdout, err := c.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	s := &server{t: p.t, proc: c, dead: make(chan struct{})}
	lines := bufio.NewReader(stdout)
	first, err := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(p.said, lines)
		_ = c.Wait()
		close(s.dead)
	}()
	p.t.Cleanup(func() { s.end(syscall.SIGKILL) })
	url, ok := strings.CutPrefix(strings.TrimSpace(first), "listening on ")
	if err != nil || !ok {
		p.t.Fatalf("the first line is %q, %v\n%s", first, err, p.said)
	}
	s.url = url
	return s
}

// end sends a signal and waits for the end.
func (s *server) end(signal syscall.Signal) {
	s.t.Helper()
	if err := s.proc.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Error(err)
	}
	<-s.dead
}

func (p *place) write(name, text string) string {
	p.t.Helper()
	path := filepath.Join(filepath.Dir(p.dir), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}
