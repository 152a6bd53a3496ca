package models

import (
	"context"
	"time"
)

// A KeyState is what is known of a provider's key without looking at it.
type KeyState struct {
	Kind CredentialKind
	// Present says that nothing is missing: a key was entered and is still
	// there, the variable is set, or none is needed. Whether a command works
	// is seen when it runs.
	Present bool
	// SavedAt is when a person entered the key; zero if nobody did, or before
	// this was kept.
	SavedAt time.Time
	// Hint is the last four characters of a key that a person entered, "" if
	// it is too short to show some of it.
	Hint string
}

const (
	hintLength   = 4
	leastForHint = 12
)

func hintOf(key Secret) string {
	text := key.Reveal()
	if len(text) < leastForHint {
		return ""
	}
	return text[len(text)-hintLength:]
}

// KeyState returns what is known of a provider's key. The error is
// [ErrNotFound] if there is no such provider.
func (s Providers) KeyState(ctx context.Context, id string) (KeyState, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	row, err := s.take(ctx, id)
	if err != nil {
		return KeyState{}, err
	}
	return s.db.keyState(row), nil
}

// KeyStates returns what is known of every provider's key, by the provider's
// ID.
func (s Providers) KeyStates(ctx context.Context) (map[string]KeyState, error) {
	s.db.sealing.RLock()
	defer s.db.sealing.RUnlock()
	var rows []providerRow
	if err := s.db.read(ctx).Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list providers", err)
	}
	states := make(map[string]KeyState, len(rows))
	for _, r := range rows {
		states[r.ID] = s.db.keyState(r)
	}
	return states, nil
}

func (db *DB) keyState(r providerRow) KeyState {
	k := KeyState{Kind: r.Key.Credential, Present: true, SavedAt: r.Key.KeySavedAt.time(), Hint: r.Key.KeyHint}
	switch k.Kind {
	case CredentialEnv:
		k.Present = db.config.Getenv(r.Key.CredentialEnv) != ""
	case CredentialSealed:
		k.Present = db.sealer.sealed(r.Key.Sealed)
	case CredentialMemory:
		var entered memoryKey
		entered, k.Present = db.memory.get(r.ID, hostOf(r.BaseURL))
		if k.Present {
			k.SavedAt, k.Hint = entered.savedAt, hintOf(entered.key)
		}
	case CredentialKeychain:
		k.Present = r.Key.KeychainItem != "" && db.config.Keychain != nil
	}
	return k
}
