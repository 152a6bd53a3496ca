package connector

import "os/exec"

// alwaysSeen are the variables that every program sees.
var alwaysSeen = []string{"PATH", "HOME", "USERPROFILE", "SystemRoot", "TEMP"}

func group(*exec.Cmd) {}

func askGroup(*exec.Cmd)      {}
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
