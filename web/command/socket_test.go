package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
)

const socketName = "countersign.sock"

func TestSocket_OwnerOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	socket := filepath.Join(p.dir, socketName)
	if info, err := os.Stat(socket); err != nil || info.Mode() != os.ModeSocket|0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	s.end(syscall.SIGTERM)
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("after the end: %v, want no socket", err)
	}
}

// The socket of a killed server is in nobody's way.
func TestSocket_OfKilledServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.serve().end(syscall.SIGKILL)
	if _, err := os.Stat(filepath.Join(p.dir, socketName)); err != nil {
		t.Fatal(err)
	}
	p.do("users", "list")
	p.serve()
	p.do("users", "list")
}

// A path that no socket can have leads to one elsewhere.
func TestSocket_LongPath(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.dir = filepath.Join(t.TempDir(), strings.Repeat("a", 60), strings.Repeat("b", 60))
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		s := p.serve()
		noted, err := os.ReadFile(filepath.Join(p.dir, socketName+".path"))
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Dir(string(noted))); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory of the socket: %v, %v", info, err)
		}
		p.do("users", "list")
		s.end(signal)
		p.do("users", "list")
		t.Cleanup(func() {
			if _, err := os.Stat(filepath.Dir(string(noted))); !os.IsNotExist(err) {
				t.Errorf("%s is left, %v", noted, err)
			}
		})
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.serve()
	p.refused(1, "another process uses the data directory", "serve", "--addr", "127.0.0.1:0")
	p.do("users", "list")
}

// A directory that is held by who knows what is left alone.
func TestLock_NoAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	modelstest.OpenConfig(t, models.Config{Dir: p.dir})
	p.refused(1, "another process uses the data directory and does not answer on its socket", "users", "list")
}
