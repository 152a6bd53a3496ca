package models

import (
	"context"
	"strings"
	"testing"

	"gorm.io/gorm"
)

func openTest(t testing.TB, c Config) *DB {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	c.Passwords = PasswordCost{KiB: 64, Passes: 1}
	db, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestPragmas(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	for _, pool := range []struct {
		name string
		db   *gorm.DB
		want map[string]string
	}{
		{"writer", db.writer, map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "5000", "query_only": "0",
		}},
		{"reader", db.reader, map[string]string{
			"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "query_only": "1",
		}},
	} {
		for pragma, want := range pool.want {
			var got string
			if err := pool.db.Raw("PRAGMA " + pragma).Scan(&got).Error; err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s: %s is %s, want %s", pool.name, pragma, got, want)
			}
		}
	}
	if err := db.reader.Exec("DELETE FROM users").Error; err == nil {
		t.Error("a reader wrote")
	}
}

func TestWriter_LocksAtBegin(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	rival, err := connect(dialect(db.file, map[string][]string{"_txlock": {"immediate"}}), 1)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := rival.DB()
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = db.write(t.Context(), func(*gorm.DB) error {
		return rival.Transaction(func(*gorm.DB) error { return nil })
	})
	if err == nil {
		t.Error("two write transactions were open at once")
	}
}

func TestIsDuplicate(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	row := userRow{ID: "u_1", Email: "a@b.c", EmailKey: "a@b.c", Role: RoleMember}
	for name, change := range map[string]func(*userRow){
		"primary key": func(r *userRow) { r.EmailKey = "other" },
		"unique":      func(r *userRow) { r.ID = "u_2" },
	} {
		err := db.write(t.Context(), func(tx *gorm.DB) error {
			first, second := row, row
			change(&second)
			if err := tx.Create(&first).Error; err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return tx.Create(&second).Error
		})
		if !isDuplicate(err) {
			t.Errorf("%s: %v is no duplicate", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "a@b.c") {
			t.Errorf("%s: the error holds a stored value: %v", name, err)
		}
	}
	err := db.write(t.Context(), func(tx *gorm.DB) error {
		bad := row
		bad.Role = "emperor"
		return tx.Create(&bad).Error
	})
	if err == nil || isDuplicate(err) {
		t.Errorf("a role that is none: got %v", err)
	}
}
