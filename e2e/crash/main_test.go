package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// configVariable holds the config of a victim. A test binary that finds it is
// no test but the victim.
const configVariable = "COUNTERSIGN_CRASH"

// program is a test binary of this package that is built as the program is:
// the race detector would make it start slowly. It is set before the first
// test and not changed after.
var program string

func TestMain(m *testing.M) {
	var code int
	var err error
	if text := os.Getenv(configVariable); text != "" {
		err = victimise(text)
	} else {
		code, err = run(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		code = 1
	}
	os.Exit(code)
}

func victimise(text string) error {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	return serve(context.Background(), c)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "countersign-crash-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "victim.exe")
	build := exec.Command("go", "test", "-c", "-o", program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the victim: %w\n%s", err, out)
	}
	return m.Run(), nil
}
