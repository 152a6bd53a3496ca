package token

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// maxOutput is how much a command may print, in bytes.
const maxOutput = 64 << 10

// leastLife is how long a token has to hold to be of use.
const leastLife = time.Second

// afterKill is how long what a killed command started may keep its output
// open.
const afterKill = time.Second

var (
	errTooLong  = errors.New("it printed too much")
	errNoToken  = errors.New("it did not print a token with its expiry as JSON")
	errExpired  = errors.New("the token it printed has expired")
	errNoHeader = errors.New("the token it printed has other characters than a header takes")
	errNotRun   = errors.New("it could not be started")
	errLimit    = errors.New("it took too long")
	errLeft     = errors.New("what it started kept its output open")
)

// run runs a command to its end and reads what it printed. The error is in
// words of ours.
func run(ctx context.Context, c Command, config Config) (held, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, config.Limit, errLimit)
	defer cancel()
	output := &limited{full: cancel}
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env = environment(c.Env, config.Getenv)
	cmd.Stdout = output
	cmd.WaitDelay = afterKill
	group(cmd)
	started := config.Now()
	if err := cmd.Start(); err != nil {
		return held{}, errNotRun
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case output.over:
		return held{}, errTooLong
	case ctx.Err() != nil:
		return held{}, context.Cause(ctx)
	case errors.As(err, &exit):
		return held{}, fmt.Errorf("it ended with status %d", exit.ExitCode())
	case err != nil:
		_ = cmd.Cancel()
		return held{}, errLeft
	}
	token, err := parse(output.text.Bytes())
	token.printedAt = started
	if err == nil && token.expiresAt.Sub(config.Now()) < leastLife {
		return held{}, errExpired
	}
	return token, err
}

// limited keeps what is written, and ends the command when it is too much.
type limited struct {
	text bytes.Buffer
	over bool
	full func()
}

func (l *limited) Write(p []byte) (int, error) {
	if l.over || l.text.Len()+len(p) > maxOutput {
		l.over = true
		l.full()
		return 0, io.ErrShortWrite
	}
	return l.text.Write(p)
}

// environment is what a command sees of this process.
func environment(names []string, getenv func(string) string) []string {
	var env []string
	for _, name := range slices.Concat(alwaysSeen, names) {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if env == nil {
		return []string{} // nil would be everything
	}
	return env
}

// parse reads what a command printed.
func parse(text []byte) (held, error) {
	var printed struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := json.Unmarshal(text, &printed); err != nil || printed.Token == "" || printed.ExpiresAt.IsZero() {
		return held{}, errNoToken
	}
	if strings.ContainsFunc(printed.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return held{}, errNoHeader
	}
	return held{text: printed.Token, expiresAt: printed.ExpiresAt}, nil
}
