package models

import (
	"context"
	"errors"

	"countersign/agent"
	"countersign/providers"
)

// A Keychain keeps secrets for the person who runs the program. Its methods
// are safe for use by multiple goroutines.
type Keychain interface {
	// Get returns the secret of an item, or [ErrNotFound].
	Get(item string) (Secret, error)
	Set(item string, secret Secret) error
	// Delete removes an item. It is no error that there is none.
	Delete(item string) error
}

// ErrKeychain says that the keychain of the system could not be read.
var ErrKeychain = errors.New("the keychain can't be read")

const (
	noKeychain      = "This system has no keychain that Countersign can use. Choose another way to keep the key."
	keychainRefuses = "The keychain of the system did not take the key. Choose another way to keep it."
)

// HasKeychain reports whether keys can be kept in the keychain of the system.
func (db *DB) HasKeychain() bool { return db.config.Keychain != nil }

// toKeychain puts the key of a credential into a new item and returns its
// name, so that the item in use is untouched until the row is written. It is
// "" if no key goes there.
func (db *DB) toKeychain(ctx context.Context, c *Credential) (string, error) {
	if c == nil || c.Kind != CredentialKeychain || db.config.Keychain == nil || checkKey(c.Key) != "" {
		return "", nil
	}
	item := agent.NewID("key_")
	if err := db.config.Keychain.Set(item, c.Key); err != nil {
		db.config.Logger.WarnContext(ctx, "the keychain took no key")
		return "", Invalid{"credential": keychainRefuses}
	}
	return item, nil
}

// forgetItem removes what no row names. An item that stays does no harm but to
// be there.
func (db *DB) forgetItem(ctx context.Context, item string) {
	if item == "" || db.config.Keychain == nil {
		return
	}
	if err := db.config.Keychain.Delete(item); err != nil {
		db.config.Logger.WarnContext(ctx, "a key that is no longer used is still in the keychain", "item", item)
	}
}

func (db *DB) fromKeychain(item string) (key Secret, code string, err error) {
	if item == "" || db.config.Keychain == nil {
		return key, providers.CodeKeyNeeded, ErrKeyNeeded
	}
	key, err = db.config.Keychain.Get(item)
	switch {
	case errors.Is(err, ErrNotFound):
		return Secret{}, providers.CodeKeyNeeded, ErrKeyNeeded
	case err != nil:
		return Secret{}, providers.CodeKeyUnreadable, ErrKeychain
	}
	return key, "", nil
}
