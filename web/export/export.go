// Package export writes a conversation to a file and reads it back.
//
// A file has a JSON object a line: a [Header], then the records of the journal
// in their order, each an [Event]. Before the record that ends an attempt comes
// the [Attempt]: what it wrote, with which a run can be printed again. What a
// provider bound to itself is in no file.
package export

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"countersign/agent"
	"countersign/models"
)

// Version is that of the files that are written.
const Version = 1

// The types of lines.
const (
	TypeHeader  = "countersign_export"
	TypeEvent   = "event"
	TypeAttempt = "attempt"
)

// A Header is the first line.
type Header struct {
	Type         string               `json:"type"`
	Version      int                  `json:"version"`
	Conversation agent.ConversationID `json:"conversation_id"`
	Title        string               `json:"title"`
}

// An Event is a record of the journal.
type Event struct {
	Type string          `json:"type"`
	Seq  agent.Seq       `json:"seq"`
	At   time.Time       `json:"at"`
	Run  agent.RunID     `json:"run_id,omitempty"`
	Kind agent.Kind      `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// An Attempt is what an attempt wrote, in order. One that was withdrawn failed
// or was interrupted.
type Attempt struct {
	Type      string          `json:"type"`
	Attempt   agent.AttemptID `json:"attempt_id"`
	Run       agent.RunID     `json:"run_id"`
	Withdrawn bool            `json:"withdrawn,omitempty"`
	Segments  []agent.Segment `json:"segments"`
}

// Write writes a conversation as it stands now.
func Write(ctx context.Context, w io.Writer, db *models.DB, id agent.ConversationID) error {
	journal := db.Journal()
	head, err := journal.Head(ctx, id)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(Header{TypeHeader, Version, id, head.Title}); err != nil {
		return err
	}
	for r, err := range journal.Read(ctx, id, 0) {
		if err != nil {
			return err
		}
		if r.Seq > head.Seq {
			break
		}
		if e, ok := r.Event.(agent.ModelAttemptFinished); ok {
			if err := writeAttempt(ctx, lines, journal, r, e.Attempt); err != nil {
				return err
			}
		}
		data, err := agent.EncodeEvent(agent.Told(r.Event))
		if err != nil {
			return err
		}
		if err := lines.Encode(Event{TypeEvent, r.Seq, r.At, r.Run, r.Event.Kind(), data}); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeAttempt(ctx context.Context, lines *json.Encoder, journal models.Journal, r agent.Record, id agent.AttemptID) error {
	o, err := journal.Output(ctx, r.Conversation, id)
	if errors.Is(err, agent.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return lines.Encode(Attempt{TypeAttempt, o.Attempt, o.Run, o.Withdrawn, o.Segments})
}

// maxLine is more than any line of a file of ours has, in bytes.
const maxLine = 16 << 20

// Read yields the lines of a file: a [Header], then [Event] and [Attempt]
// values. It ends after the first error, whose text may be shown.
func Read(r io.Reader) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		n := 0
		for lines.Scan() {
			n++
			v, err := parse(lines.Bytes(), n == 1)
			if err != nil {
				err = fmt.Errorf("line %d: %w", n, err)
			}
			if v == nil && err == nil {
				continue // a type of a later version
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
		switch err := lines.Err(); {
		case err != nil:
			yield(nil, fmt.Errorf("line %d: %w", n+1, err))
		case n == 0:
			yield(nil, errNoFile)
		}
	}
}

var errNoFile = errors.New("this is not a file that countersign export has written")

func parse(line []byte, first bool) (any, error) {
	var kind struct {
		Type    string
		Version int
	}
	if err := json.Unmarshal(line, &kind); err != nil || first != (kind.Type == TypeHeader) {
		return nil, errNoFile
	}
	switch kind.Type {
	case TypeHeader:
		if kind.Version != Version {
			return nil, fmt.Errorf("the file has version %d; this program reads version %d", kind.Version, Version)
		}
		return decode[Header](line)
	case TypeEvent:
		return decode[Event](line)
	case TypeAttempt:
		return decode[Attempt](line)
	}
	return nil, nil
}

func decode[T any](line []byte) (any, error) {
	var v T
	if err := json.Unmarshal(line, &v); err != nil {
		return nil, errNoFile
	}
	return v, nil
}

// Record is the event as the journal had it.
func (e Event) Record(id agent.ConversationID) (agent.Record, error) {
	event, err := agent.DecodeEvent(e.Kind, e.Data)
	return agent.Record{Conversation: id, Seq: e.Seq, Run: e.Run, At: e.At, Event: event}, err
}
