//go:build darwin || windows

package models

import (
	"errors"

	"github.com/zalando/go-keyring"
)

// keychainService is what the items are listed under.
const keychainService = "countersign"

// osKeychain is the Keychain of macOS or the Credential Manager of Windows,
// which seals with DPAPI (contract P9).
type osKeychain struct{}

// SystemKeychain returns the keychain of the system.
func SystemKeychain() Keychain { return osKeychain{} }

func (osKeychain) Get(item string) (Secret, error) {
	text, err := keyring.Get(keychainService, item)
	if errors.Is(err, keyring.ErrNotFound) {
		err = ErrNotFound
	}
	return NewSecret(text), err
}

func (osKeychain) Set(item string, secret Secret) error {
	return keyring.Set(keychainService, item, secret.Reveal())
}

func (osKeychain) Delete(item string) error {
	err := keyring.Delete(keychainService, item)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
