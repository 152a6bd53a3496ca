package models_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

// opened opens a data directory and returns what that logged.
func opened(t *testing.T, dir string, use func(*models.DB)) string {
	t.Helper()
	var log bytes.Buffer
	db, err := models.Open(t.Context(), models.Config{
		Dir: dir, Passwords: modelstest.Cheap, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if use != nil {
		use(db)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return log.String()
}

// A lost key file is said at every start until nothing is sealed under it.
func TestOpen_LostKey(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if log := opened(t, dir, nil); log != "" {
		t.Errorf("a new directory: %s", log)
	}
	var id string
	log := opened(t, dir, func(db *models.DB) {
		p, err := db.Providers().Create(t.Context(), models.Provider{
			Name: "Local", API: providers.APIResponses, BaseURL: "https://models.example",
		}, models.Credential{Kind: models.CredentialSealed, Key: models.NewSecret("sk-1")})
		if err != nil {
			t.Fatal(err)
		}
		id = p.ID
	})
	if log != "" {
		t.Errorf("with its key: %s", log)
	}
	key := filepath.Join(dir, "countersign.key")
	kept, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"countersign.key", "another key"} {
		log := opened(t, dir, func(db *models.DB) {
			if _, err := db.Providers().Key(t.Context(), id); !errors.Is(err, models.ErrWrongKey) {
				t.Errorf("the credential: %v, want ErrWrongKey", err)
			}
		})
		if !strings.Contains(log, "level=WARN") || !strings.Contains(log, want) || !strings.Contains(log, "credentials=1") {
			t.Errorf("the log lacks a warning with %q:\n%s", want, log)
		}
	}
	if err := os.WriteFile(key, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if log := opened(t, dir, nil); log != "" {
		t.Errorf("with its key again: %s", log)
	}
}

func TestOpen_WidePermissions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	opened(t, dir, nil)
	key := filepath.Join(dir, "countersign.key")
	for path, mode := range map[string]os.FileMode{
		dir: 0o755, filepath.Join(dir, "countersign.db"): 0o640, key: 0o644,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	log := opened(t, dir, nil)
	for _, want := range []string{"name=data mode=0755", "name=countersign.db mode=0640", "name=countersign.key mode=0644"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if strings.Contains(log, dir) {
		t.Errorf("the log holds the path:\n%s", log)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file: %v, %v", info.Mode(), err)
	}
}

// What a backup left that was killed goes when the directory is opened; a
// person's own files stay.
func TestOpen_RemovesCopies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := []string{"countersign.backup", "countersign.backup-journal"}
	const own = "countersign.backup-of-monday"
	for _, name := range append(left, own) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("deleted text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened(t, dir, nil)
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want it gone", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, own)); err != nil {
		t.Error(err)
	}
}
