package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// othersMay are the permissions of anybody but the owner.
const othersMay fs.FileMode = 0o077

// checkPermissions warns of what others on this machine may open, and closes
// the key file to them. Windows has other permissions.
func (db *DB) checkPermissions(ctx context.Context) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	paths := []string{filepath.Dir(db.file), db.file}
	if db.keyFile != "" {
		paths = append(paths, db.keyFile)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the key file, before it is made
		}
		if err != nil {
			return err
		}
		if info.Mode()&othersMay == 0 {
			continue
		}
		db.config.Logger.WarnContext(ctx, "others on this machine may open it", "name", filepath.Base(path), "mode", fmt.Sprintf("%#o", info.Mode().Perm()))
		if path != db.keyFile {
			continue
		}
		if err := os.Chmod(path, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// checkSealed warns of stored credentials that the key does not open. made says
// that the key file was missing and is new.
func (db *DB) checkSealed(ctx context.Context, made bool) error {
	var values [][]byte
	if err := db.read(ctx).Model(&providerRow{}).Where("sealed IS NOT NULL").Pluck("sealed", &values).Error; err != nil {
		return err
	}
	closed := 0
	for _, v := range values {
		if !db.sealer.sealed(v) {
			closed++
		}
	}
	switch {
	case closed == 0:
	case made:
		db.config.Logger.WarnContext(ctx, "the key file was missing and a new one was made; stored credentials can't be opened: restore the key file, or enter them again",
			"name", filepath.Base(db.keyFile), "credentials", closed)
	default:
		db.config.Logger.WarnContext(ctx, "stored credentials were sealed under another key and can't be opened: restore that key, or enter them again",
			"credentials", closed)
	}
	return nil
}
