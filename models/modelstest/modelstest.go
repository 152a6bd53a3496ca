// Package modelstest opens databases for tests. Only tests import it.
package modelstest

import (
	"testing"

	"countersign/models"
)

// Cheap is a password cost for tests.
var Cheap = models.PasswordCost{KiB: 64, Passes: 1}

// Open returns a new database with the newest schema. It is closed when the
// test ends.
func Open(t testing.TB) *models.DB {
	t.Helper()
	return OpenConfig(t, models.Config{})
}

// OpenConfig is like [Open]. An empty Dir becomes a temporary one.
func OpenConfig(t testing.TB, c models.Config) *models.DB {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Passwords == (models.PasswordCost{}) {
		c.Passwords = Cheap
	}
	db, err := models.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return db
}
