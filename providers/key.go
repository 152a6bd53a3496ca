package providers

// Codes for a key that is not there when a request is to be sent. They come
// with [CategoryConfiguration], and nothing has been sent.
const (
	// CodeKeyNeeded asks a person for the key: it was in memory and the
	// program has started anew, or it is gone from the keychain (contract
	// P13).
	CodeKeyNeeded = "key_needed"
	// CodeKeyMissingEnv says that the environment variable is not set.
	CodeKeyMissingEnv = "key_missing_env"
	// CodeKeyUnreadable says that the stored key can't be opened.
	CodeKeyUnreadable = "key_unreadable"
	// CodeTokenCommandFailed says that the command that prints tokens printed
	// none (contract P15).
	CodeTokenCommandFailed = "token_command_failed"
)

// KeyError is the failure of an attempt that has no key.
func KeyError(code string) *Error {
	return &Error{Category: CategoryConfiguration, Code: code}
}
