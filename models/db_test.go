package models_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

func TestOpen_HoldsTheDirectory(t *testing.T) {
	t.Parallel()
	c := models.Config{Dir: filepath.Join(t.TempDir(), "new", "data")}
	db := modelstest.OpenConfig(t, c)
	if _, err := models.Open(t.Context(), c); !errors.Is(err, models.ErrLocked) {
		t.Errorf("second open: got %v, want ErrLocked", err)
	}
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	modelstest.OpenConfig(t, c)
}

func TestOpen_KeepsFilesPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // modes mean nothing there
	}
	dir := filepath.Join(t.TempDir(), "data")
	modelstest.OpenConfig(t, models.Config{Dir: dir})
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		seen++
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", d.Name(), info.Mode())
		}
		return nil
	})
	if err != nil || seen < 5 {
		t.Errorf("%d files seen, %v", seen, err)
	}
}

func TestOpen_UnusableDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Open(t.Context(), models.Config{Dir: file}); err == nil {
		t.Error("a file was opened as a directory")
	}
}

func TestOpen_OddDirectoryName(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "100% of #1? & ünï")
	modelstest.OpenConfig(t, models.Config{Dir: dir})
	if _, err := os.Stat(filepath.Join(dir, "countersign.db")); err != nil {
		t.Error(err)
	}
}

func TestCloseAfterUse(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Users().Create(t.Context(), ada); !errors.Is(err, models.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	_, err := db.Journal().Append(t.Context(), agent.Batch{Conversation: "c_1", Entries: []agent.Entry{{Event: agent.ConversationCreated{}}}})
	if !errors.Is(err, models.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}
