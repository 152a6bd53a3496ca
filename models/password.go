package models

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// A PasswordCost is what a guess costs with argon2id. The zero value means the
// least that OWASP recommends: 19 MiB and two passes.
type PasswordCost struct {
	KiB    uint32
	Passes uint32
}

const (
	minPassword = 12   // characters
	maxPassword = 1024 // bytes

	saltSize = 16
	hashSize = 32
	// hashesAtOnce bounds the memory that sign-ins take.
	hashesAtOnce = 2
)

// A hasher makes and checks password hashes, a few at a time.
type hasher struct {
	cost  PasswordCost
	slots chan struct{}
	// nobody is a hash that no password has, for people who do not exist.
	nobody string
}

func newHasher(cost PasswordCost) *hasher {
	if cost == (PasswordCost{}) {
		cost = PasswordCost{KiB: 19 * 1024, Passes: 2}
	}
	h := &hasher{cost: cost, slots: make(chan struct{}, hashesAtOnce)}
	h.nobody = encodeHash(cost, random(saltSize), random(hashSize))
	return h
}

// checkPassword says what is wrong with a new password, "" if nothing is.
func checkPassword(p Secret) string {
	switch text := p.Reveal(); {
	case utf8.RuneCountInString(text) < minPassword:
		return fmt.Sprintf("Use at least %d characters.", minPassword)
	case len(text) > maxPassword:
		return fmt.Sprintf("Use at most %d bytes.", maxPassword)
	}
	return ""
}

// hash returns the PHC string of a password. The error is the context's.
func (h *hasher) hash(ctx context.Context, p Secret) (string, error) {
	salt := random(saltSize)
	sum, err := h.sum(ctx, p, h.cost, salt, hashSize)
	if err != nil {
		return "", err
	}
	return encodeHash(h.cost, salt, sum), nil
}

// verify reports whether a PHC string is of the password. It takes the same
// time either way.
func (h *hasher) verify(ctx context.Context, p Secret, phc string) (bool, error) {
	cost, salt, want, err := decodeHash(phc)
	if err != nil {
		return false, err
	}
	got, err := h.sum(ctx, p, cost, salt, len(want))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}

func (h *hasher) sum(ctx context.Context, p Secret, cost PasswordCost, salt []byte, size int) ([]byte, error) {
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.slots }()
	return argon2.IDKey([]byte(p.Reveal()), salt, cost.Passes, cost.KiB, 1, uint32(size)), nil
}

func encodeHash(cost PasswordCost, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s",
		argon2.Version, cost.KiB, cost.Passes, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

func decodeHash(phc string) (cost PasswordCost, salt, sum []byte, err error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost, nil, nil, errors.New("a stored password hash is of an unknown form")
	}
	_, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=1", &cost.KiB, &cost.Passes)
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	sum, errSum := base64.RawStdEncoding.DecodeString(parts[5])
	if errors.Join(err, errSalt, errSum) != nil || cost.KiB == 0 || cost.Passes == 0 || len(sum) == 0 {
		return cost, nil, nil, errors.New("a stored password hash can't be read")
	}
	return cost, salt, sum, nil
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
