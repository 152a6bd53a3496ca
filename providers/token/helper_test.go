package token_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/providers/token"
)

// TestMain makes this binary the commands of the tests as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "command" {
		os.Exit(command(os.Args[2], os.Args[3:]))
	}
	goleak.VerifyTestMain(m)
}

// self is a command that does what it is named for.
func self(t *testing.T, what string, args ...string) token.Command {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return token.Command{Argv: append([]string{program, "command", what}, args...)}
}

// printed is what a command prints.
func printed(text string, expires time.Time) string {
	return fmt.Sprintf(`{"token":%q,"expires_at":%q}`, text, expires.Format(time.RFC3339Nano))
}

const secret = "canary-of-the-command"

func command(what string, args []string) int {
	fmt.Fprintln(os.Stderr, secret)
	switch what {
	case "print":
		fmt.Print(args[0])
	case "count": // prints the file and counts how often
		text, err := os.ReadFile(args[0])
		if err != nil {
			return 3
		}
		file, err := os.OpenFile(args[0]+".count", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return 3
		}
		defer file.Close()
		if _, err := file.WriteString("x"); err != nil {
			return 3
		}
		fmt.Print(string(text))
	case "environment":
		fmt.Print(printed(strings.ReplaceAll(strings.Join(os.Environ(), ","), " ", ""), time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)))
	case "fail":
		fmt.Print(secret)
		return 7
	case "flood":
		for {
			if _, err := fmt.Print(strings.Repeat("canary ", 1000)); err != nil {
				return 1
			}
		}
	case "hang":
		hang()
	case "family":
		child := exec.Command(os.Args[0], "command", "call", args[0])
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 3
		}
		hang()
	case "orphan":
		child := exec.Command(os.Args[0], "command", "hang")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			return 3
		}
		fmt.Print(args[0])
	case "call": // is alive as long as its connection is open
		if _, err := net.Dial("tcp", args[0]); err != nil {
			return 3
		}
		hang()
	}
	return 0
}

// hang waits for what only ends it from outside.
func hang() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
}
