package models

import (
	"errors"
	"os"
)

// ErrLocked says that another process uses the data directory.
var ErrLocked = errors.New("another process uses the data directory")

// A dirLock is held until it is released or the process ends, however it ends.
type dirLock struct{ file *os.File }

// lockDir takes the lock, or returns [ErrLocked] at once.
func lockDir(path string) (*dirLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFileNow(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &dirLock{f}, nil
}

// release lets the lock go. It may be called twice. The file stays: removing
// it could take the lock from whoever opened it meanwhile.
func (l *dirLock) release() error {
	if err := errors.Join(unlockFile(l.file), l.file.Close()); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
