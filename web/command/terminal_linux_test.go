package command_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// On a terminal the password is asked for twice, and never shown.
func TestPassword_Terminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	near, far := terminal(t)
	c := exec.CommandContext(t.Context(), program, "users", "create", "--email", "a@example.com", "--name", "Ada", "--role", "admin", "--data", p.dir)
	c.Stdin, c.Stdout, c.Stderr = far, far, far
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = far.Close()
	shown := &transcript{}
	screen := bufio.NewReader(io.TeeReader(near, shown))
	for _, prompt := range []string{"New password for a@example.com: ", "Once more: "} {
		if err := readUntil(screen, prompt); err != nil {
			t.Fatalf("wait for %q: %v; the screen shows %q", prompt, err, shown)
		}
		if _, err := io.WriteString(near, password+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := readUntil(screen, "can sign in as admin."); err != nil {
		t.Errorf("%v; the screen shows %q", err, shown)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(shown.String(), password) {
		t.Errorf("the password was shown: %q", shown)
	}
}

func readUntil(r *bufio.Reader, text string) error {
	var read strings.Builder
	for !strings.HasSuffix(read.String(), text) {
		b, err := r.ReadByte()
		if err != nil {
			return err
		}
		read.WriteByte(b)
	}
	return nil
}

// terminal returns both ends of a new one.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close() })
	if err := unix.IoctlSetPointerInt(int(near.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(near.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return near, far
}
