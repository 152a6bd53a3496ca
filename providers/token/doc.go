// Package token gets short-lived bearer tokens from commands that an admin
// configured (contract P15, P16).
//
// A command prints one JSON object on its standard output:
//
//	{"token": "…", "expires_at": "2030-01-02T15:04:05Z"}
//
// Nothing that a command prints is logged or becomes part of an error.
package token
