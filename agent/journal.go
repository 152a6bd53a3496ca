package agent

import (
	"context"
	"iter"
	"time"

	"countersign/providers"
)

// A Journal stores the records of every conversation. Its methods are safe for
// use by multiple goroutines.
type Journal interface {
	// Append adds events to the end of a conversation and returns their
	// records, which are on disk by then. All are written or none. If the
	// conversation is not at the batch's After, Append writes nothing and
	// returns [ErrConflict]; if there is no room for it, [ErrFull]; if a message
	// has files that its author may not attach, an [InputError]. The first event of a conversation is a
	// [ConversationCreated] with After zero.
	Append(ctx context.Context, b Batch) ([]Record, error)

	// Head returns what is true of the conversation now, or [ErrNotFound].
	Head(ctx context.Context, id ConversationID) (Head, error)

	// Read yields the records after a place, oldest first. It ends after the
	// first error.
	Read(ctx context.Context, id ConversationID, after Seq) iter.Seq2[Record, error]

	// ReadRun yields the records of one run, oldest first. It yields none for
	// a run that does not exist.
	ReadRun(ctx context.Context, id ConversationID, run RunID) iter.Seq2[Record, error]

	// Replays returns the private state that completed attempts of the
	// conversation left for the next requests.
	Replays(ctx context.Context, id ConversationID) (map[AttemptID]providers.Replay, error)
}

// An Index finds runs across conversations. It is a read model: everything in
// it follows from the journal.
type Index interface {
	// Unfinished returns the runs that are pending or running, oldest first.
	Unfinished(ctx context.Context) ([]RunRef, error)
	// Expiring returns the runs whose open interaction expires at or before a
	// time, and the earliest expiry after it (zero when there is none).
	Expiring(ctx context.Context, by time.Time) (due []RunRef, next time.Time, err error)
}

// A RunRef names a run.
type RunRef struct {
	Conversation ConversationID
	Run          RunID
}

// A Batch is what one append writes.
type Batch struct {
	Conversation ConversationID
	After        Seq
	At           time.Time
	Entries      []Entry
	Outputs      []Output
}

// An Entry is an event that has no place yet.
type Entry struct {
	Run   RunID // "" where the event belongs to no run
	Event Event
}

// An Output is what an attempt produced: private, prunable, never shown on a
// page. It is written once, when the attempt ends.
type Output struct {
	Run       RunID
	Attempt   AttemptID
	Withdrawn bool // the attempt did not complete
	Segments  []Segment
	Replay    *providers.Replay
}

// A Segment is a stretch of one channel. Segments are in the order in which
// their text arrived.
type Segment struct {
	Channel Channel `json:"channel"`
	Text    string  `json:"text"`
}

// A Channel separates the kinds of text that an attempt produces.
type Channel string

const (
	ChannelAnswer    Channel = "answer"
	ChannelReasoning Channel = "reasoning"
	ChannelCall      Channel = "tool_call"
)
