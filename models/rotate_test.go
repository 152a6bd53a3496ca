package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/providers"
)

const rotateCanary = "sk-canary-of-the-rotation"

// A rotating is a data directory with a sealed key and one in a variable.
type rotating struct {
	dir string
	db  *DB
	ids []string
}

func newRotating(t *testing.T) *rotating {
	t.Helper()
	r := &rotating{dir: t.TempDir()}
	r.open(t)
	for name, c := range map[string]Credential{
		"Sealed":   {Kind: CredentialSealed, Key: NewSecret(rotateCanary)},
		"Another":  {Kind: CredentialSealed, Key: NewSecret(rotateCanary)},
		"Variable": {Kind: CredentialEnv, Env: "SOME_KEY"},
	} {
		p, err := r.db.Providers().Create(t.Context(), Provider{Name: name, API: providers.APIChatCompletions}, c)
		if err != nil {
			t.Fatal(err)
		}
		r.ids = append(r.ids, p.ID)
	}
	return r
}

func (r *rotating) open(t *testing.T) {
	t.Helper()
	db, err := Open(t.Context(), Config{Dir: r.dir, Getenv: func(string) string { return rotateCanary }})
	if err != nil {
		t.Fatal(err)
	}
	r.db = db
	t.Cleanup(func() { _ = db.Close() })
}

func (r *rotating) restart(t *testing.T) {
	t.Helper()
	if err := r.db.Close(); err != nil {
		t.Fatal(err)
	}
	r.open(t)
}

// check asks for every key, and for a directory without a half-done rotation.
func (r *rotating) check(t *testing.T, when string) {
	t.Helper()
	for _, id := range r.ids {
		if key, err := r.db.Providers().Key(t.Context(), id); err != nil || key.Reveal() != rotateCanary {
			t.Errorf("%s, the key of %s: %v", when, id, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(r.dir, keyFile+".*")); err != nil || len(left) > 0 {
		t.Errorf("%s, there is %v, %v", when, left, err)
	}
	if info, err := os.Stat(r.file()); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%s, the key file: %v, %v", when, info, err)
	}
}

func (r *rotating) file() string { return filepath.Join(r.dir, keyFile) }

func (r *rotating) keyText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(r.file())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	before := r.keyText(t)
	for range 2 {
		if n, err := r.db.RotateKey(t.Context()); n != 2 || err != nil {
			t.Fatalf("got %d, %v, want 2", n, err)
		}
		r.check(t, "after a rotation")
	}
	if r.keyText(t) == before {
		t.Error("the key is the same")
	}
	r.restart(t)
	r.check(t, "after a restart")
	p, err := r.db.Providers().Create(t.Context(), Provider{Name: "Later", API: providers.APIChatCompletions},
		Credential{Kind: CredentialSealed, Key: NewSecret(rotateCanary)})
	if err != nil {
		t.Fatal(err)
	}
	r.ids = append(r.ids, p.ID)
	r.check(t, "with one more")
}

// A crash leaves one of two states: the new key is written and the database is
// as before, or the database is sealed under the new key, which is not yet in
// its place.
func TestRotateKey_Crash(t *testing.T) {
	t.Parallel()
	t.Run("before the commit", func(t *testing.T) {
		t.Parallel()
		r := newRotating(t)
		before := r.keyText(t)
		if _, err := makeKeyFile(r.file() + nextKey); err != nil {
			t.Fatal(err)
		}
		r.restart(t)
		r.check(t, "after the restart")
		if r.keyText(t) != before {
			t.Error("the key has changed")
		}
	})
	t.Run("after the commit", func(t *testing.T) {
		t.Parallel()
		r := newRotating(t)
		before := r.keyText(t)
		if _, err := r.db.RotateKey(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := r.keyText(t)
		if err := os.Rename(r.file(), r.file()+nextKey); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.file(), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		r.restart(t)
		r.check(t, "after the restart")
		if r.keyText(t) != after {
			t.Error("the new key is lost")
		}
	})
}

func TestRotateKey_CommitFails(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	before := r.keyText(t)
	// The second row can't be written: the first must not be either.
	err := r.db.writer.Exec(`CREATE TRIGGER refuse BEFORE UPDATE ON providers WHEN old.name = 'Sealed'
		BEGIN SELECT RAISE(ABORT, 'refused'); END`).Error
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.db.RotateKey(t.Context()); err == nil || strings.Contains(err.Error(), rotateCanary) {
		t.Fatalf("got %v, want an error without the key", err)
	}
	r.check(t, "after the failure")
	if r.keyText(t) != before {
		t.Error("the key has changed")
	}
	r.restart(t)
	r.check(t, "after a restart")
}

// Keys are added and used while the sealing key changes under them.
func TestRotateKey_WhileOthersSeal(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	done := make(chan error, 1)
	go func() {
		for range 5 {
			if _, err := r.db.RotateKey(t.Context()); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for i := 0; ; i++ {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			r.check(t, "at the end")
			return
		default:
		}
		id := r.ids[i%len(r.ids)]
		change := ProviderUpdate{Credential: &Credential{Kind: CredentialSealed, Key: NewSecret(rotateCanary)}}
		if _, err := r.db.Providers().Update(t.Context(), id, change); err != nil {
			t.Fatal(err)
		}
		if key, err := r.db.Providers().Key(t.Context(), id); err != nil || key.Reveal() != rotateCanary {
			t.Fatalf("the key of %s: %v", id, err)
		}
	}
}

func TestRotateKey_KeptElsewhere(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), Key: testKey(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.RotateKey(t.Context()); err != ErrKeyElsewhere {
		t.Errorf("got %v, want ErrKeyElsewhere", err)
	}
	if got := db.KeyFile(); got != "" {
		t.Errorf("key file %q, want none", got)
	}
}
