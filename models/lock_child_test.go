//go:build unix

package models

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A lock that was released is free, although a child still has the file.
func TestLock_OutlivesNoRelease(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := lockDir(path)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("cat")
	child.ExtraFiles = []*os.File{lock.file}
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		stdin.Close()
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	}()
	for range 2 { // a second release is harmless
		if err := lock.release(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := lockDir(path)
	if err != nil {
		t.Fatalf("the lock is still held: %v", err)
	}
	if err := again.release(); err != nil {
		t.Error(err)
	}
}
