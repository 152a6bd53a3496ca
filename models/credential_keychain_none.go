//go:build !darwin && !windows

package models

// SystemKeychain returns the keychain of the system, nil where there is none
// to use: what these systems may have needs a desktop session, which a server
// has not (contract P9).
func SystemKeychain() Keychain { return nil }
