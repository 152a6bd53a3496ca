//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package command

import (
	"errors"
	"os"
)

// isTerminal knows no terminal on this system: passwords come from files.
func isTerminal(*os.File) bool { return false }

func hideInput(*os.File) (restore func(), err error) { return nil, errors.ErrUnsupported }
