package agent

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// Ids are opaque. They are unique in the whole installation, except where a
// type says otherwise, and safe in a URL and in an HTML id.
type (
	ConversationID string
	RunID          string
	AttemptID      string
	InteractionID  string
	// A CallID names a tool call. It is ours: the provider's own id, which it
	// may reuse, stays in the private output (contract V14).
	CallID string
	// A MessageID is chosen by the client that sends the message. It is unique
	// within its conversation.
	MessageID string
	// An AttachmentID names a file that came, or may come, with a message.
	AttachmentID string
	UserID       string
	AgentID      string
	// A KeyID names a key with which a program acts for a person.
	KeyID string
)

// A Seq is a record's place in its conversation, from 1 without gaps. Zero is
// the place before the first record.
type Seq int64

var idEncoding = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// NewID returns a random id that starts with the prefix.
func NewID(prefix string) string {
	var b [15]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + idEncoding.EncodeToString(b[:])
}

// derivedID returns the one id that belongs to the parts, so that the same
// request made twice names the same thing.
func derivedID(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return prefix + idEncoding.EncodeToString(sum[:15])
}

// RunFor names the run that a message starts. A message that is submitted
// twice therefore has one run.
func RunFor(conversation ConversationID, message MessageID) RunID {
	return RunID(derivedID("r_", string(conversation), string(message)))
}

// ConversationFor names the conversation that a person's first message starts.
func ConversationFor(owner UserID, message MessageID) ConversationID {
	return ConversationID(derivedID("c_", string(owner), string(message)))
}
