package models

import (
	"errors"
	"fmt"
	"log/slog"
)

const redacted = "[redacted]"

// A Secret is text that is not to be printed, logged or marshalled: every way
// to do so yields "[redacted]" or fails. The zero Secret is the empty text.
type Secret struct {
	// A pointer, because fmt looks into fields whose methods it can't call, and
	// shows of a string pointer no more than the address.
	text *string
}

// NewSecret returns a secret with the text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// String returns "[redacted]".
func (s Secret) String() string { return redacted }

// GoString returns "[redacted]".
func (s Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue returns "[redacted]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText returns "[redacted]"; so do JSON and XML, which use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// MarshalBinary fails; gob uses it.
func (s Secret) MarshalBinary() ([]byte, error) {
	return nil, errors.New("a secret can't be marshalled")
}
