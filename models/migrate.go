package models

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"gorm.io/gorm"
)

// ErrNewerSchema says that a newer version of the program wrote the database.
var ErrNewerSchema = errors.New("the database was written by a newer version")

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return sub
}

// A migration moves the schema to its version. Its file is never changed once
// it is released.
type migration struct {
	version int
	name    string
	sql     string
}

// loadMigrations reads files named 0001_what_it_does.sql, numbered from 1
// without a gap.
func loadMigrations(files fs.FS) ([]migration, error) {
	entries, err := fs.ReadDir(files, ".") // in order of name
	if err != nil {
		return nil, err
	}
	var list []migration
	for i, e := range entries {
		number, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), path.Ext(e.Name())), "_")
		version, err := strconv.Atoi(number)
		if !ok || err != nil || len(number) != 4 || version != i+1 {
			return nil, fmt.Errorf("migration %s: want number %04d", e.Name(), i+1)
		}
		sql, err := fs.ReadFile(files, e.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, migration{version, name, string(sql)})
	}
	return list, nil
}

// migrate brings the schema to the newest version, each step in a transaction.
func migrate(ctx context.Context, db *gorm.DB, files fs.FS) error {
	list, err := loadMigrations(files)
	if err != nil {
		return err
	}
	db = db.WithContext(ctx)
	err = db.Exec("CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)").Error
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	var at int
	if err := db.Raw("SELECT coalesce(max(version), 0) FROM migrations").Scan(&at).Error; err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	if at > len(list) {
		return fmt.Errorf("schema %d, this version knows %d: %w", at, len(list), ErrNewerSchema)
	}
	for _, m := range list[at:] {
		err := db.Transaction(func(tx *gorm.DB) error {
			if err := tx.Exec(m.sql).Error; err != nil {
				return err
			}
			return tx.Exec("INSERT INTO migrations (version, name) VALUES (?, ?)", m.version, m.name).Error
		})
		if err != nil {
			return fmt.Errorf("migration %04d_%s: %w", m.version, m.name, err)
		}
	}
	return nil
}
