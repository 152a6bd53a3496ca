package e2e_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Bounds on what the program does outside a browser. They are generous: a
// loaded machine is no failure, a hung process is.
const (
	startLimit = 30 * time.Second
	stopLimit  = 20 * time.Second
)

// A server is one data directory and the process that serves it. A test ends
// its server without asking: at the end of the test it is stopped, and its log
// is shown if the test failed.
type server struct {
	t    *testing.T
	url  string   // http://127.0.0.1:PORT, the same after a restart
	data string   // the data directory
	args []string // further arguments

	process *exec.Cmd     // nil while stopped
	ended   chan struct{} // closed when the process has ended
	stdout  *output       // of this process
	stderr  *output       // of this process
}

// startServer starts the program on a free port with an empty data directory.
// Further arguments follow those it needs.
func startServer(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{t: t, data: filepath.Join(t.TempDir(), "data"), args: args}
	t.Cleanup(func() {
		if s.process != nil {
			s.Stop()
		}
	})
	s.start("127.0.0.1:0")
	return s
}

func (s *server) start(addr string) {
	s.t.Helper()
	cmd := exec.Command(program, append([]string{"serve", "--addr", addr, "--data", s.data}, s.args...)...)
	cmd.Env = cleanEnvironment(s.t)
	// Bounds the wait for the pipes if a child of the server outlives it.
	cmd.WaitDelay = time.Second
	stdout, stderr, ended := newOutput(), newOutput(), make(chan struct{})
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatalf("start the server: %v", err)
	}
	s.process, s.stdout, s.stderr, s.ended = cmd, stdout, stderr, ended
	go func() {
		_ = cmd.Wait() // end looks at the state it leaves
		stdout.end()
		close(ended)
	}()
	listening, err := s.stdout.await("listening on ", startLimit)
	if err != nil {
		s.t.Fatalf("the server does not serve: %v", err)
	}
	s.url = listening
}

// cleanEnvironment is the environment without what configures the program.
func cleanEnvironment(t *testing.T) []string {
	env := []string{}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "COUNTERSIGN_") {
			env = append(env, entry)
		}
	}
	return append(env, "HOME="+t.TempDir())
}

// Stop ends the server as an operator would and requires a clean exit.
func (s *server) Stop() {
	s.t.Helper()
	if code := s.end(syscall.SIGTERM); code != 0 {
		s.t.Errorf("the server stopped with exit code %d", code)
	}
}

// Kill ends the server without a chance to finish anything.
func (s *server) Kill() {
	s.t.Helper()
	s.end(syscall.SIGKILL)
}

// Restart starts the server again, after Stop or Kill, at the same address and
// on the same data directory.
func (s *server) Restart() {
	s.t.Helper()
	at, err := url.Parse(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	s.start(at.Host)
}

// SetupURL returns the address for creating the first admin, which a server
// without people prints when it starts.
func (s *server) SetupURL() string {
	s.t.Helper()
	address, err := s.stdout.await("first-time setup: ", startLimit)
	if err != nil {
		s.t.Fatal(err)
	}
	return address
}

// end signals the process, waits and returns its exit code, -1 if a signal
// ended it. One that outlives the limit is killed and is a failure.
func (s *server) end(signal os.Signal) int {
	s.t.Helper()
	if err := s.process.Process.Signal(signal); err != nil {
		s.t.Errorf("signal the server: %v", err)
	}
	select {
	case <-s.ended:
	case <-time.After(stopLimit):
		s.t.Errorf("the server did not stop within %v", stopLimit)
		_ = s.process.Process.Kill()
		<-s.ended
	}
	code := s.process.ProcessState.ExitCode()
	if s.t.Failed() {
		s.t.Logf("log of the server:\n%s", s.stderr)
	}
	s.process = nil
	return code
}
