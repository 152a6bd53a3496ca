package models

import (
	"errors"
	"net/url"
	"strings"
)

// ErrNoKey says that a provider's key is not there: its environment variable
// is not set.
var ErrNoKey = errors.New("the key is missing")

// CredentialKind says where a provider's key is kept (contract P8).
type CredentialKind string

const (
	CredentialNone   CredentialKind = "none"   // the provider takes no key
	CredentialEnv    CredentialKind = "env"    // in an environment variable of the server
	CredentialSealed CredentialKind = "sealed" // encrypted in the database
)

// A Credential says where the key is, or gives it to be sealed.
type Credential struct {
	Kind CredentialKind
	Env  string // if the kind is env
	Key  Secret // if the kind is sealed; at most 16 KiB
}

// Longer keys than any known one: tokens with claims.
const maxKey = 16 << 10

func (c Credential) check(v Invalid) {
	switch c.Kind {
	case CredentialNone:
	case CredentialEnv:
		if !envName.MatchString(c.Env) {
			v["env"] = "Enter the name of a variable: letters, digits and underscores."
		}
	case CredentialSealed:
		if n := len(c.Key.Reveal()); n == 0 || n > maxKey {
			v["key"] = "Enter the key."
		} else if strings.ContainsFunc(c.Key.Reveal(), func(r rune) bool { return r <= 0x20 || r >= 0x7f }) {
			v["key"] = "A key is one line of plain characters without spaces."
		}
	default:
		v["credential"] = "Choose where the key is kept."
	}
}

// checkKeyStays keeps a stored key with the host that it was entered for: at
// another one it would be shown to whoever is there.
func checkKeyStays(stored, changed Provider) string {
	if stored.Credential == CredentialSealed && hostOf(stored.BaseURL) != hostOf(changed.BaseURL) {
		return "The saved key was entered for another host. Enter the key for this one."
	}
	return ""
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

// place is what a provider's key is sealed for.
func (r providerRow) place() string { return "provider " + r.ID }

// keep stores the credential in the row.
func (c Credential) keep(r *providerRow, s *sealer) {
	r.Credential, r.CredentialEnv, r.Sealed = c.Kind, "", nil
	switch c.Kind {
	case CredentialEnv:
		r.CredentialEnv = c.Env
	case CredentialSealed:
		r.Sealed = s.seal(c.Key, r.place())
	}
}

func (db *DB) key(r providerRow) (Secret, error) {
	switch r.Credential {
	case CredentialEnv:
		key := NewSecret(db.config.Getenv(r.CredentialEnv))
		if key.Empty() {
			return key, ErrNoKey
		}
		return key, nil
	case CredentialSealed:
		return db.sealer.open(r.Sealed, r.place())
	}
	return Secret{}, nil
}
