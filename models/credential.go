package models

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"countersign/agent"
)

// CredentialKind says where a provider's key is kept (contract P8).
type CredentialKind string

const (
	CredentialNone     CredentialKind = "none"     // the provider takes no key
	CredentialEnv      CredentialKind = "env"      // in an environment variable of the server
	CredentialSealed   CredentialKind = "sealed"   // encrypted in the database
	CredentialMemory   CredentialKind = "memory"   // in this process alone (contract P13)
	CredentialKeychain CredentialKind = "keychain" // in the keychain of the system (contract P9)
	CredentialCommand  CredentialKind = "command"  // a command prints short-lived tokens (contract P15)
)

// A Credential says where the key is, or gives it to be kept there.
type Credential struct {
	Kind CredentialKind
	Env  string // if the kind is env
	// Key is for the kinds sealed, memory and keychain; at most 16 KiB. With
	// the latter two it may be empty: a key that is there for the same host
	// stays, and where there is none it is needed.
	Key     Secret
	Command TokenCommand // if the kind is command
}

// A TokenCommand is run to get a bearer token. There is no shell. It holds no
// secrets: pages show it.
type TokenCommand struct {
	Argv []string `json:"argv"`
	// Env names the variables of the server that it sees besides PATH and
	// HOME.
	Env []string `json:"env,omitempty"`
}

const (
	// Longer keys than any known one: tokens with claims.
	maxKey = 16 << 10

	maxArgs     = 32
	maxArg      = 4096 // bytes
	maxArgNames = 16
)

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)

func (c Credential) check(v Invalid) {
	switch c.Kind {
	case CredentialNone:
	case CredentialEnv:
		if !envName.MatchString(c.Env) {
			v["env"] = "Enter the name of a variable: letters, digits and underscores."
		}
	case CredentialSealed:
		v.check("key", checkKey(c.Key))
	case CredentialMemory, CredentialKeychain:
		if !c.Key.Empty() {
			v.check("key", checkKey(c.Key))
		}
	case CredentialCommand:
		v.check("command", c.Command.problem())
	default:
		v["credential"] = "Choose where the key is kept."
	}
}

func checkKey(key Secret) string {
	switch text := key.Reveal(); {
	case text == "":
		return "Enter the key."
	case len(text) > maxKey:
		return fmt.Sprintf("A key has %d KiB at most.", maxKey>>10)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= 0x20 || r >= 0x7f }):
		return "A key is one line of plain characters without spaces."
	}
	return ""
}

func (c TokenCommand) problem() string {
	switch {
	case len(c.Argv) == 0 || c.Argv[0] == "":
		return "Enter the command."
	case len(c.Argv) > maxArgs:
		return fmt.Sprintf("A command has %d parts at most.", maxArgs)
	case len(c.Env) > maxArgNames:
		return fmt.Sprintf("A command sees %d variables at most.", maxArgNames)
	}
	for _, arg := range c.Argv {
		switch {
		case len(arg) > maxArg || !utf8.ValidString(arg) || strings.Contains(arg, "\x00"):
			return fmt.Sprintf("A part of a command is text of %d bytes at most.", maxArg)
		case agent.LooksLikeKey(arg):
			return "This looks like a key. Keep it in a variable that the command sees."
		}
	}
	for _, name := range c.Env {
		switch {
		case !envName.MatchString(name):
			return "A variable is named by letters, digits and underscores."
		case sealingVariables[strings.ToUpper(name)]:
			return "The sealing key is for this server alone."
		}
	}
	return ""
}

// sealingVariables lead to the key that all other keys are sealed with.
var sealingVariables = map[string]bool{"COUNTERSIGN_KEY": true, "COUNTERSIGN_KEY_FILE": true}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}
