//go:build unix

package connector

import (
	"os/exec"
	"syscall"
)

// alwaysSeen are the variables that every program sees.
var alwaysSeen = []string{"PATH", "HOME"}

// group puts a program and all that it starts into a group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func askGroup(cmd *exec.Cmd)  { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
