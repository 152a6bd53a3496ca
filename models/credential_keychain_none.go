//go:build !darwin && !windows

package models

// systemKeychain is nil: what some of these systems have needs a desktop
// session, which a server has not (contract P9).
func systemKeychain() Keychain { return nil }
