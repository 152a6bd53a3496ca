package models

import (
	"bytes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

var (
	// ErrKeyFormat says that the sealing key is not 32 bytes in base64.
	ErrKeyFormat = errors.New("the sealing key is not 32 bytes in base64")
	// ErrWrongKey says that a value was sealed under another key.
	ErrWrongKey = errors.New("sealed under another key")
	// ErrDamaged says that a sealed value was changed, or moved to another row.
	ErrDamaged = errors.New("the sealed value is damaged")
)

// keyIDSize is the length of what tells keys apart, at the start of every
// sealed value. It follows from the key and does not lead back to it.
const keyIDSize = 8

// A sealer encrypts values with XChaCha20-Poly1305. A sealed value is the
// key's id, a random nonce and the ciphertext, and opens only in the place
// that it was sealed for.
type sealer struct {
	aead cipher.AEAD
	id   []byte
}

// openSealer uses the key, or where it is empty the key in the file, which it
// makes if it is not there.
func openSealer(key Secret, file string) (*sealer, error) {
	if key.Empty() {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			text, err = makeKeyFile(file)
		}
		if err != nil {
			return nil, fmt.Errorf("read sealing key: %w", err)
		}
		key = NewSecret(string(text))
	}
	return newSealer(key)
}

func newSealer(key Secret) (*sealer, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(key.Reveal()))
	if err != nil || len(raw) != chacha20poly1305.KeySize {
		return nil, ErrKeyFormat
	}
	aead, err := chacha20poly1305.NewX(raw)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("countersign sealing key id\x00"), raw...))
	return &sealer{aead, sum[:keyIDSize]}, nil
}

// makeKeyFile writes a new key. A file with that name is always whole.
func makeKeyFile(file string) ([]byte, error) {
	var raw [chacha20poly1305.KeySize]byte
	_, _ = rand.Read(raw[:]) // never fails
	text := []byte(base64.StdEncoding.EncodeToString(raw[:]) + "\n")
	temp := file + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Rename(temp, file); err != nil {
		return nil, err
	}
	return text, syncDir(filepath.Dir(file))
}

// syncDir makes a new name in a directory survive a loss of power: what is
// sealed must never outlive its key. Windows has no such call, and keeps names
// by itself.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sealed reports whether a value is sealed under this key.
func (s *sealer) sealed(value []byte) bool { return bytes.HasPrefix(value, s.id) }

// seal encrypts a secret for a place, such as "provider p_1".
func (s *sealer) seal(secret Secret, place string) []byte {
	nonce := make([]byte, s.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	sealed := append(bytes.Clone(s.id), nonce...)
	return s.aead.Seal(sealed, nonce, []byte(secret.Reveal()), []byte(place))
}

// open decrypts what was sealed for the same place. The error is [ErrWrongKey]
// or [ErrDamaged].
func (s *sealer) open(sealed []byte, place string) (Secret, error) {
	head := keyIDSize + s.aead.NonceSize()
	if len(sealed) < head {
		return Secret{}, ErrDamaged
	}
	if !s.sealed(sealed) {
		return Secret{}, ErrWrongKey
	}
	text, err := s.aead.Open(nil, sealed[keyIDSize:head], sealed[head:], []byte(place))
	if err != nil {
		return Secret{}, ErrDamaged
	}
	return NewSecret(string(text)), nil
}
