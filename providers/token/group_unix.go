//go:build unix

package token

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// alwaysSeen are the variables that every command sees.
var alwaysSeen = []string{"PATH", "HOME"}

// group has the end of a command end all that it started.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return os.ErrProcessDone
	}
}
