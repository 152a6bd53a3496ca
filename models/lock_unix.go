//go:build unix

package models

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func lockFileNow(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}

// unlockFile lets go of the lock itself: until a child that is being started has
// become another program, it holds the file too, and with it the lock.
func unlockFile(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.Flock(int(fd), unix.LOCK_UN) })
	return errors.Join(err, failed)
}
