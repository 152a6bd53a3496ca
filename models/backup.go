package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/agent"
)

// backupFile is the copy that a backup is read from while it lasts.
const backupFile = "countersign.backup"

// KeyFile returns where the sealing key is, or "" if it was given to the
// program and is no file of the data directory.
func (db *DB) KeyFile() string { return db.keyFile }

// Backup writes a consistent copy of the database as it is now, while others
// read and write on. The sealing key is not in it. The data directory needs
// room for another copy meanwhile. One backup runs at a time.
func (db *DB) Backup(ctx context.Context, w io.Writer) (err error) {
	db.backing.Lock()
	defer db.backing.Unlock()
	// An earlier one may have failed to remove its copy.
	if err := removeCopies(filepath.Dir(db.file)); err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(db.file), backupFile)
	defer func() {
		if isFull(err) {
			err = fmt.Errorf("%w: %w", agent.ErrFull, err)
		}
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("back up the database: %w", err)
		}
	}()
	copied, err := db.copyTo(ctx, path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, copied)
	return errors.Join(err, copied.Close(), os.Remove(path))
}

// removeCopies removes what a process that was killed during a backup left: it
// holds what may have been deleted since.
func removeCopies(dir string) error {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(dir, backupFile+suffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// copyTo makes the copy. It is what was committed when it began; the writer is
// not held up.
func (db *DB) copyTo(ctx context.Context, path string) (*os.File, error) {
	// The copy goes into an empty file that is there, and takes its mode.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := db.vacuumInto(ctx, path); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

func (db *DB) vacuumInto(ctx context.Context, path string) error {
	copier, err := connect(copierDialect(db.file), 1)
	if err != nil {
		return err
	}
	pool, err := copier.DB()
	if err != nil {
		return err
	}
	return errors.Join(copier.WithContext(ctx).Exec("VACUUM INTO ?", path).Error, pool.Close())
}
