package views

import (
	"strings"
	"time"
)

// Where a provider's key is kept.
const (
	CredentialSealed   = "sealed"
	CredentialEnv      = "env"
	CredentialMemory   = "memory"
	CredentialKeychain = "keychain"
	CredentialCommand  = "command"
	CredentialNone     = "none"
)

// The values of the API of a provider in forms.
const (
	APIResponses       = "responses"
	APIAnthropic       = "anthropic"
	APIChatCompletions = "chat-completions"
)

// APIWords name an API.
func APIWords(api string) string {
	switch api {
	case APIResponses:
		return "OpenAI Responses"
	case APIAnthropic:
		return "Anthropic Messages"
	}
	return "Chat Completions"
}

// CredentialWords say where a key is kept.
func CredentialWords(kind string) string {
	switch kind {
	case CredentialSealed:
		return "Sealed on this server"
	case CredentialEnv:
		return "Environment"
	case CredentialMemory:
		return "Memory only"
	case CredentialKeychain:
		return "Keychain"
	case CredentialCommand:
		return "Token command"
	}
	return "None"
}

// ProviderValues are the fields of a provider as text, as a person types them.
// A key is never among them: it goes one way. An empty text is the default.
type ProviderValues struct {
	Name       string
	API        string
	BaseURL    string
	Private    bool // may be on this machine or in a private network
	Credential string
	EnvName    string
	// Command is the program that prints tokens, "" for none. It is shown and
	// not set: pages run no programs on the server.
	Command string

	Models  string // one a line
	Details []ModelDetail

	MaxOutput     string // tokens
	StreamUsage   bool   // Chat Completions
	OutputField   string // Chat Completions
	PromptCaching bool   // Anthropic
	Thinking      string // Anthropic: "" or a mode
	Budget        string // of thinking, tokens

	Retries, RetryBase, RetryCap, RetryAfterCap string
	FirstByte, Idle, Attempt                    string
}

// A ModelDetail is what is known of a model beside its id.
type ModelDetail struct {
	Name                          string
	Window                        string // tokens
	Images, PDF, Tools, Reasoning bool
	Input, Output                 string // US dollars a million tokens
	CacheRead, CacheWrite         string
}

// A KeyNote is what a page says of a key that is there.
type KeyNote struct {
	Kind    string // where it is
	Present bool
	SavedAt time.Time
	Hint    string // its last characters
	Typed   bool   // one was typed, and is lost because the form was refused
}

// help says what to enter for a key.
func (k KeyNote) help(now time.Time) string {
	switch {
	case k.Kind == CredentialMemory && !k.Present:
		return "The key is gone since the server was restarted. Enter it again."
	case k.Present && (k.Kind == CredentialSealed || k.Kind == CredentialMemory || k.Kind == CredentialKeychain):
		words := []string{"A key is saved"}
		if !k.SavedAt.IsZero() {
			words[0] = "Set " + onDay(k.SavedAt, now)
		}
		if k.Hint != "" {
			words = append(words, "ends in …"+k.Hint)
		}
		return strings.Join(words, ", ") + ". It is not shown again."
	}
	return "It is never shown again."
}

func (k KeyNote) placeholder() string {
	if k.Present && k.Kind != CredentialEnv && k.Kind != CredentialCommand && k.Kind != CredentialNone {
		return "Leave empty to keep the saved key"
	}
	return ""
}

// problem is what the field of the key says about an error.
func (k KeyNote) problem(found string) string {
	if found == "" && k.Typed {
		return "Enter the key once more: a key is never sent back, so it is not in this form any more."
	}
	return found
}
