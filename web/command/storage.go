package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/web/control"
)

func (p *Program) backup(ctx context.Context, l *line) error {
	words, err := l.parse(1)
	if err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		keyFile, err := writeBackup(ctx, c, words[0])
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "The database is copied to %s.\n", plain(words[0]))
		where := "the one that COUNTERSIGN_KEY or COUNTERSIGN_KEY_FILE gave"
		if keyFile != "" {
			where = plain(keyFile)
		}
		fmt.Fprintf(p.Stdout, "The sealing key is not in it. It is %s; without it nobody can read the stored keys of providers. Keep a copy elsewhere.\n", where)
		return nil
	})
}

// writeBackup writes a new file for its owner alone. A file of that name is a
// whole backup or, after a loss of power, empty.
func writeBackup(ctx context.Context, c *control.Client, path string) (keyFile string, err error) {
	name, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s exists already; a backup goes to a new file", path)
	}
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	if err := name.Close(); err != nil {
		return "", err
	}
	partial, err := os.CreateTemp(filepath.Dir(path), ".countersign-backup-*") // 0600
	if err != nil {
		return "", err
	}
	keyFile, err = c.Backup(ctx, partial)
	if err == nil {
		err = partial.Sync()
	}
	if err = errors.Join(err, partial.Close()); err == nil {
		err = os.Rename(partial.Name(), path)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(partial.Name()))
	}
	return keyFile, nil
}

func (p *Program) rotateKey(ctx context.Context, l *line) error {
	if _, err := l.parse(0); err != nil {
		return err
	}
	return p.with(ctx, l, func(c *control.Client) error {
		done, err := c.RotateKey(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "Stored keys, %d in number, are sealed under a new sealing key in %s.\n", done.Resealed, plain(done.KeyFile))
		fmt.Fprintln(p.Stdout, "Earlier backups need the earlier sealing key; the program has not kept it.")
		return nil
	})
}
