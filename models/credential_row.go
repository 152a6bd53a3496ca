package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"countersign/providers"
)

var (
	// ErrNoKey says that a provider's environment variable is not set.
	ErrNoKey = errors.New("the key is missing")
	// ErrKeyNeeded says that a person has to enter the key: it was in the
	// memory of an earlier process, or it is gone from the keychain.
	ErrKeyNeeded = errors.New("the key has to be entered")
	// ErrTokens says that there is no key: a command prints tokens.
	ErrTokens = errors.New("a command prints the key")
)

// keyColumns are what a provider's row says of its key.
type keyColumns struct {
	Credential        CredentialKind
	CredentialEnv     string
	CredentialCommand []byte // JSON of a TokenCommand
	Sealed            []byte
	KeychainItem      string
	KeyHint           string
	KeySavedAt        stamp
}

func (k keyColumns) command() (TokenCommand, error) {
	var c TokenCommand
	if k.CredentialCommand == nil {
		return c, nil
	}
	err := json.Unmarshal(k.CredentialCommand, &c)
	return c, err
}

// same compares what a person can set.
func (k keyColumns) same(o keyColumns) bool {
	return k.Credential == o.Credential && k.CredentialEnv == o.CredentialEnv &&
		bytes.Equal(k.CredentialCommand, o.CredentialCommand) &&
		bytes.Equal(k.Sealed, o.Sealed) && k.KeychainItem == o.KeychainItem
}

// place is what a provider's key is sealed for.
func (r providerRow) place() string { return "provider " + r.ID }

// keyColumns returns what a row says of a credential. stored is the row as it
// is; item is where the keychain has the key, if the credential gives one.
func (db *DB) keyColumns(c Credential, row, stored providerRow, item string) (keyColumns, error) {
	k := keyColumns{Credential: c.Kind}
	switch c.Kind {
	case CredentialEnv:
		k.CredentialEnv = c.Env
	case CredentialCommand:
		var err error
		if k.CredentialCommand, err = json.Marshal(c.Command); err != nil {
			return k, fmt.Errorf("encode command of provider %s: %w", row.ID, err)
		}
	case CredentialSealed:
		k.Sealed = db.sealer.seal(c.Key, row.place())
		k.KeyHint, k.KeySavedAt = hintOf(c.Key), stampOf(db.now())
	case CredentialKeychain:
		switch {
		case item != "":
			k.KeychainItem = item
			k.KeyHint, k.KeySavedAt = hintOf(c.Key), stampOf(db.now())
		case stored.Key.Credential == CredentialKeychain && hostOf(stored.BaseURL) == hostOf(row.BaseURL):
			k = stored.Key
		}
	}
	return k, nil
}

// checkKeyStays keeps a key that a person entered with the host that it was
// entered for: at another one it would be shown to whoever is there.
func (db *DB) checkKeyStays(stored providerRow, changed Provider) string {
	if hostOf(stored.BaseURL) == hostOf(changed.BaseURL) {
		return ""
	}
	switch stored.Key.Credential {
	case CredentialSealed, CredentialMemory, CredentialKeychain:
		if db.keyState(stored).Present {
			return "The saved key was entered for another host. Enter the key for this one."
		}
	}
	return ""
}

// settleKey brings what is kept outside the database in line with a row that
// was written. The row before is zero for a new provider, the row after for a
// removed one.
func (db *DB) settleKey(ctx context.Context, before, after providerRow, c *Credential) {
	if item := before.Key.KeychainItem; item != after.Key.KeychainItem {
		db.forgetItem(ctx, item)
	}
	switch {
	case after.Key.Credential != CredentialMemory:
		db.memory.drop(before.ID)
	case c != nil && !c.Key.Empty():
		db.memory.put(after.ID, memoryKey{c.Key, hostOf(after.BaseURL), db.now()})
	}
}

// Key returns the key to use now: empty if the provider takes none. The error
// is [ErrNotFound], or, together with a [*providers.Error] that tells a run
// why, [ErrNoKey], [ErrKeyNeeded], [ErrTokens], [ErrWrongKey], [ErrDamaged] or
// [ErrKeychain].
func (s Providers) Key(ctx context.Context, id string) (Secret, error) {
	row, key, err := s.sealedKey(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return Secret{}, err
	}
	code := providers.CodeKeyUnreadable
	if err == nil && row.Key.Credential != CredentialSealed {
		key, code, err = s.db.openKeyOf(row)
	}
	if err != nil {
		return Secret{}, fmt.Errorf("key of provider %s: %w: %w", id, err, providers.KeyError(code))
	}
	return key, nil
}

// sealedKey returns a provider, and its key if that is sealed.
func (s Providers) sealedKey(ctx context.Context, id string) (providerRow, Secret, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	row, err := s.take(ctx, id)
	if err != nil || row.Key.Credential != CredentialSealed {
		return row, Secret{}, err
	}
	key, err := s.db.sealer.open(row.Key.Sealed, row.place())
	return row, key, err
}

// openKeyOf finds a key that is not in the database.
func (db *DB) openKeyOf(r providerRow) (key Secret, code string, err error) {
	switch r.Key.Credential {
	case CredentialEnv:
		if key = NewSecret(db.config.Getenv(r.Key.CredentialEnv)); key.Empty() {
			return key, providers.CodeKeyMissingEnv, ErrNoKey
		}
	case CredentialMemory:
		entered, there := db.memory.get(r.ID, hostOf(r.BaseURL))
		if !there {
			return key, providers.CodeKeyNeeded, ErrKeyNeeded
		}
		key = entered.key
	case CredentialKeychain:
		return db.fromKeychain(r.Key.KeychainItem)
	case CredentialCommand:
		return key, providers.CodeTokenCommandFailed, ErrTokens
	}
	return key, "", nil
}
