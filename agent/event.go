package agent

import "time"

// A Kind names a kind of event. Kinds are stored: they never change.
type Kind string

// An Event is a fact. Each kind is one small struct in an event_*.go file;
// codec.go lists them all. The JSON of every kind is pinned by a test, because
// stored bytes are an interface.
type Event interface{ Kind() Kind }

// A Record is an event with its place in the journal. Records are never
// changed; whoever holds one may share it.
type Record struct {
	Conversation ConversationID
	Seq          Seq
	Run          RunID // "" where the event belongs to no run
	At           time.Time
	Event        Event
}

// An Unknown event is of a kind that this program does not know, written by a
// newer one. Folds pass over it, and encoding it gives the stored bytes back.
type Unknown struct {
	kind Kind
	raw  []byte
}

func (u Unknown) Kind() Kind { return u.kind }
