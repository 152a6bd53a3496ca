package models

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func testKey(b byte) Secret {
	return NewSecret(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{b}, 32)))
}

func newTestSealer(t *testing.T, b byte) *sealer {
	t.Helper()
	s, err := openSealer(testKey(b), "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSeal(t *testing.T) {
	t.Parallel()
	s := newTestSealer(t, 1)
	sealed := s.seal(NewSecret("the key"), "provider p_1")
	if bytes.Contains(sealed, []byte("the key")) {
		t.Error("the text is in the sealed value")
	}
	if bytes.Equal(sealed, s.seal(NewSecret("the key"), "provider p_1")) {
		t.Error("sealing twice gives the same")
	}
	got, err := newTestSealer(t, 1).open(sealed, "provider p_1")
	if err != nil || got.Reveal() != "the key" {
		t.Errorf("opened with %v", err)
	}
	if _, err := s.open(sealed, "provider p_2"); !errors.Is(err, ErrDamaged) {
		t.Errorf("moved to another row: got %v, want ErrDamaged", err)
	}
	if _, err := newTestSealer(t, 2).open(sealed, "provider p_1"); !errors.Is(err, ErrWrongKey) {
		t.Errorf("another key: got %v, want ErrWrongKey", err)
	}
	for n := range len(sealed) {
		if _, err := s.open(sealed[:n], "provider p_1"); err == nil {
			t.Errorf("cut to %d bytes, it opened", n)
		}
		changed := bytes.Clone(sealed)
		changed[n] ^= 1
		if _, err := s.open(changed, "provider p_1"); err == nil {
			t.Errorf("with byte %d changed, it opened", n)
		}
	}
}

func TestOpenSealer_Key(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"x", "c2hvcnQ=", base64.StdEncoding.EncodeToString(make([]byte, 33))} {
		if _, err := openSealer(NewSecret(bad), ""); !errors.Is(err, ErrKeyFormat) {
			t.Errorf("key %q: got %v, want ErrKeyFormat", bad, err)
		}
	}
	if _, err := openSealer(NewSecret(testKey(1).Reveal()+"\n"), ""); err != nil {
		t.Errorf("a key with a line end: %v", err)
	}
}

func TestOpenSealer_File(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file+".new", []byte("of a process that was killed"), 0o644); err != nil {
		t.Fatal(err)
	}
	first, err := openSealer(Secret{}, file)
	if err != nil {
		t.Fatal(err)
	}
	second, err := openSealer(Secret{}, file)
	if err != nil || !bytes.Equal(first.id, second.id) {
		t.Errorf("the key is not kept: %v", err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openSealer(Secret{}, file); !errors.Is(err, ErrKeyFormat) {
		t.Errorf("a damaged file: got %v, want ErrKeyFormat", err)
	}
}
