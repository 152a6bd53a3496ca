package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gorm.io/gorm"
)

// ErrKeyElsewhere says that the sealing key was given to the program and is
// not a file of the data directory, so that only whoever keeps it can change
// it.
var ErrKeyElsewhere = errors.New("the sealing key is not kept in the data directory")

// nextKey is what the new key is called until everything is sealed under it.
const nextKey = ".next"

// RotateKey makes a new sealing key and seals every stored credential under
// it, in one transaction. It returns how many there are. What was sealed under
// a key that is lost stays as it is. The error is [ErrKeyElsewhere] where the
// key is not the program's own file.
//
// A crash loses nothing: the old key file is replaced once the database is
// committed, and a start in between finds out which key it needs.
func (db *DB) RotateKey(ctx context.Context) (int, error) {
	if db.keyFile == "" {
		return 0, ErrKeyElsewhere
	}
	db.sealing.Lock()
	defer db.sealing.Unlock()
	// An earlier rotation may have failed after its commit: without this its
	// key would be overwritten.
	if err := db.settleRotation(ctx); err != nil {
		return 0, fmt.Errorf("rotate sealing key: %w", err)
	}
	old, err := openSealer(Secret{}, db.keyFile)
	if err != nil {
		return 0, fmt.Errorf("rotate sealing key: %w", err)
	}
	text, err := makeKeyFile(db.keyFile + nextKey)
	if err != nil {
		return 0, fmt.Errorf("write new sealing key: %w", err)
	}
	next, err := newSealer(NewSecret(string(text)))
	if err != nil {
		return 0, err
	}
	var count int
	err = db.write(ctx, func(tx *gorm.DB) error {
		count, err = reseal(tx, old, next)
		return err
	})
	if err == nil {
		db.sealer = next
		err = promoteKey(db.keyFile)
	} else {
		err = errors.Join(err, db.undoRotation(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return 0, fmt.Errorf("rotate sealing key: %w", err)
	}
	return count, nil
}

// undoRotation finds out which key the database is sealed under after a commit
// that failed: it may have reached the disk all the same.
func (db *DB) undoRotation(ctx context.Context) error {
	if err := db.settleRotation(ctx); err != nil {
		return err
	}
	now, err := openSealer(Secret{}, db.keyFile)
	if err == nil {
		db.sealer = now
	}
	return err
}

// reseal moves every value from one key to another.
func reseal(tx *gorm.DB, from, to *sealer) (int, error) {
	var rows []providerRow
	if err := tx.Find(&rows, "sealed IS NOT NULL").Error; err != nil {
		return 0, err
	}
	count, err := resealHeaders(tx, from, to)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		secret, err := from.open(r.Key.Sealed, r.place())
		if errors.Is(err, ErrWrongKey) || errors.Is(err, ErrDamaged) {
			continue
		}
		if err != nil {
			return 0, err
		}
		err = tx.Model(&providerRow{}).Where("id = ?", r.ID).UpdateColumn("sealed", to.seal(secret, r.place())).Error
		if err != nil {
			return 0, err
		}
		count++
	}
	return count, nil
}

// settleRotation ends a rotation that was cut off: the new key becomes the key
// if the database is sealed under it, and goes if it is not.
func (db *DB) settleRotation(ctx context.Context) error {
	file := db.keyFile + nextKey
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	next, err := newSealer(NewSecret(string(text)))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var values, headers [][]byte
	err = errors.Join(
		db.read(ctx).Model(&providerRow{}).Where("sealed IS NOT NULL").Pluck("sealed", &values).Error,
		db.read(ctx).Model(&connectorRow{}).Where("sealed IS NOT NULL").Pluck("sealed", &headers).Error)
	if err != nil {
		return err
	}
	values = append(values, headers...)
	for _, v := range values {
		if next.sealed(v) {
			return promoteKey(db.keyFile)
		}
	}
	return os.Remove(file)
}

// promoteKey puts the new key in the place of the old one.
func promoteKey(file string) error {
	if err := os.Rename(file+nextKey, file); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}
