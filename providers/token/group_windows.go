package token

import (
	"os/exec"
	"strconv"
)

// alwaysSeen are the variables that every command sees; programs do not start
// without the last one.
var alwaysSeen = []string{"PATH", "HOME", "USERPROFILE", "SystemRoot"}

// group has the end of a command end all that it started.
func group(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}
