package connector

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"countersign/models"
)

const (
	// maxLine is the longest message of a program, in bytes.
	maxLine = 16 << 20
	// keptStderr is how much of the end of its standard error is kept.
	keptStderr = 4 << 10
	// quitWithin is how long a program has to end by itself, and then after it
	// was asked to.
	quitWithin = time.Second
)

var errLongLine = errors.New("a message is too long")

// A program is a server that was started.
type program struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	exited chan struct{}
	ending sync.Once
}

// start starts the program of a connector, in a group of processes of its own.
func start(c models.Connector, getenv func(string) string) (*program, error) {
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...) //nolint:gosec,noctx // an admin's own command, ended by its group
	cmd.Dir = c.Dir
	cmd.Env = []string{} // nil would be everything
	p := &program{cmd: cmd, stderr: &tail{}, exited: make(chan struct{})}
	for _, name := range append(alwaysSeen, c.Env...) {
		if value := getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for _, name := range c.Env {
		if value := getenv(name); len(value) >= 4 {
			p.stderr.hidden = append(p.stderr.hidden, value)
		}
	}
	cmd.Stderr = p.stderr
	cmd.WaitDelay = quitWithin
	group(cmd)
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: Wait would close it before all is read.
	read, write := io.Pipe()
	cmd.Stdout = write
	p.stdout = &lines{in: bufio.NewReader(read), close: read}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		_ = write.Close()
		close(p.exited)
	}()
	return p, nil
}

// end ends the program and all that it started, and waits for it.
func (p *program) end() {
	p.ending.Do(func() {
		_ = p.stdin.Close()
		for _, how := range []func(*exec.Cmd){askGroup, killGroup} {
			if p.gone() {
				break
			}
			how(p.cmd)
		}
		_ = p.stdout.Close()
		<-p.exited
		killGroup(p.cmd) // what it left behind
	})
}

// gone waits a while for the program to end.
func (p *program) gone() bool {
	t := time.NewTimer(quitWithin)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}

// lines reads the lines that are messages. Programs print other things too;
// passing over those loses nothing.
type lines struct {
	in    *bufio.Reader
	close io.Closer
	rest  []byte
}

func (l *lines) Close() error { return l.close.Close() }

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if isMessage(line) {
			l.rest = append(bytes.TrimSpace(line), '\n')
			break
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

func (l *lines) line() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLongLine
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	var m struct {
		Version string `json:"jsonrpc"`
	}
	return json.Unmarshal(line, &m) == nil && m.Version == "2.0"
}

// tail keeps the end of what is written.
type tail struct {
	mu     sync.Mutex
	text   []byte
	hidden []string // is not shown
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	// Twice as much, so that what is cut off is never half of what is hidden.
	if over := len(t.text) - 2*keptStderr; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.ToValidUTF8(string(t.text), "\uFFFD")
	for _, value := range t.hidden {
		text = strings.ReplaceAll(text, value, "[redacted]")
	}
	if len(text) > keptStderr {
		text = strings.ToValidUTF8(text[len(text)-keptStderr:], "")
	}
	return strings.TrimSpace(text)
}
