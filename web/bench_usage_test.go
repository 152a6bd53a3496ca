//go:build linux

package web_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A usage is what this process has used since it began.
type usage struct {
	cpu  time.Duration
	disk int64 // bytes that it had written to storage
}

func (u usage) since(before usage) usage { return usage{u.cpu - before.cpu, u.disk - before.disk} }

func usageNow(b *testing.B) usage {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return usage{
		cpu:  time.Duration(r.Utime.Nano() + r.Stime.Nano()),
		disk: proc(b, "io", "write_bytes:"),
	}
}

// proc reads a number of a file in /proc/self.
func proc(b *testing.B, file, name string) int64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/" + file)
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), name)
	var n int64
	if _, err := fmt.Sscan(rest, &n); err != nil {
		b.Fatalf("%s of %s: %v", name, file, err)
	}
	return n
}
