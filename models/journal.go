package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
	"countersign/providers"
)

var (
	_ agent.Journal = Journal{}
	_ agent.Index   = Journal{}
)

// A Journal is [agent.Journal] and [agent.Index] on the database.
type Journal struct{ db *DB }

// Journal returns the store of every conversation's records.
func (db *DB) Journal() Journal { return Journal{db} }

// An eventRow is a record.
type eventRow struct {
	Conversation agent.ConversationID
	Seq          agent.Seq
	Run          agent.RunID
	Kind         agent.Kind
	At           stamp
	Data         []byte
}

func (eventRow) TableName() string { return "events" }

func (r eventRow) record() (agent.Record, error) {
	e, err := agent.DecodeEvent(r.Kind, r.Data)
	if err != nil {
		return agent.Record{}, fmt.Errorf("record %d of %s: %w", r.Seq, r.Conversation, err)
	}
	return agent.Record{Conversation: r.Conversation, Seq: r.Seq, Run: r.Run, At: r.At.time(), Event: e}, nil
}

// An outputRow is what an attempt produced. Seq is the last record of its
// append.
type outputRow struct {
	Conversation agent.ConversationID
	Attempt      agent.AttemptID
	Run          agent.RunID
	Seq          agent.Seq
	Withdrawn    bool
	Rewound      bool
	Segments     []byte
	Replay       []byte
}

func (outputRow) TableName() string { return "attempt_outputs" }

// Append implements [agent.Journal]. The records it returns were read back
// from their stored form.
func (j Journal) Append(ctx context.Context, b agent.Batch) ([]agent.Record, error) {
	events, records, err := placed(b)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", b.Conversation, err)
	}
	outputs, err := outputRows(b)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", b.Conversation, err)
	}
	err = j.db.write(ctx, func(tx *gorm.DB) error {
		m, err := loadReadModel(tx, b)
		if err != nil {
			return err
		}
		for _, r := range records {
			m.apply(r)
		}
		if err := m.claim(tx, b.After); err != nil {
			return err
		}
		if err := tx.CreateInBatches(events, 100).Error; err != nil {
			return err
		}
		if len(outputs) > 0 {
			if err := tx.Create(outputs).Error; err != nil {
				return err
			}
		}
		return m.write(tx)
	})
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", b.Conversation, err)
	}
	return records, nil
}

// placed returns a batch's rows, and the records that they hold.
func placed(b agent.Batch) ([]eventRow, []agent.Record, error) {
	if len(b.Entries) == 0 {
		return nil, nil, errors.New("the batch has no entries")
	}
	events, records := make([]eventRow, len(b.Entries)), make([]agent.Record, len(b.Entries))
	for i, e := range b.Entries {
		data, err := agent.EncodeEvent(e.Event)
		if err != nil {
			return nil, nil, err
		}
		seq := b.After + agent.Seq(i) + 1
		if (agent.ConversationCreated{}).Kind() == e.Event.Kind() && seq != 1 {
			return nil, nil, errors.New("a conversation is created by its first record alone")
		}
		events[i] = eventRow{b.Conversation, seq, e.Run, e.Event.Kind(), stampOf(b.At), data}
		if records[i], err = events[i].record(); err != nil {
			return nil, nil, err
		}
	}
	return events, records, nil
}

func outputRows(b agent.Batch) ([]outputRow, error) {
	rows := make([]outputRow, len(b.Outputs))
	for i, o := range b.Outputs {
		segments, err := json.Marshal(o.Segments)
		if err != nil {
			return nil, err
		}
		rows[i] = outputRow{
			Conversation: b.Conversation, Attempt: o.Attempt, Run: o.Run,
			Seq: b.After + agent.Seq(len(b.Entries)), Withdrawn: o.Withdrawn, Segments: segments,
		}
		if o.Replay == nil {
			continue
		}
		if rows[i].Replay, err = encodeReplay(*o.Replay); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Head implements [agent.Journal] at constant cost.
func (j Journal) Head(ctx context.Context, id agent.ConversationID) (agent.Head, error) {
	var row conversationRow
	err := j.db.read(ctx).Select("head").Take(&row, "id = ? AND deleted = 0", id).Error
	if err != nil {
		return agent.Head{}, failed(ctx, "read head", err)
	}
	return row.head()
}

// readPage is how many records a query reads. No query stays open while the
// caller looks at them.
const readPage = 200

// Read implements [agent.Journal].
func (j Journal) Read(ctx context.Context, id agent.ConversationID, after agent.Seq) iter.Seq2[agent.Record, error] {
	return readEvents(j.db.read(ctx), after, "conversation = ?", id)
}

// ReadRun implements [agent.Journal].
func (j Journal) ReadRun(ctx context.Context, id agent.ConversationID, run agent.RunID) iter.Seq2[agent.Record, error] {
	return readEvents(j.db.read(ctx), 0, "conversation = ? AND run = ?", id, run)
}

func readEvents(db *gorm.DB, after agent.Seq, which string, args ...any) iter.Seq2[agent.Record, error] {
	ctx := db.Statement.Context
	return func(yield func(agent.Record, error) bool) {
		for {
			var page []eventRow
			err := db.Where(which, args...).Where("seq > ?", after).Order("seq").Limit(readPage).Find(&page).Error
			if err != nil {
				yield(agent.Record{}, failed(ctx, "read journal", err))
				return
			}
			for _, row := range page {
				r, err := row.record()
				if !yield(r, err) || err != nil {
					return
				}
				after = row.Seq
			}
			if len(page) < readPage {
				return
			}
		}
	}
}

// Replays implements [agent.Journal].
func (j Journal) Replays(ctx context.Context, id agent.ConversationID) (map[agent.AttemptID]providers.Replay, error) {
	var rows []outputRow
	err := j.db.read(ctx).Select("attempt", "replay").
		Find(&rows, "conversation = ? AND withdrawn = 0 AND rewound = 0 AND replay IS NOT NULL", id).Error
	if err != nil {
		return nil, failed(ctx, "read replays", err)
	}
	replays := make(map[agent.AttemptID]providers.Replay, len(rows))
	for _, r := range rows {
		if replays[r.Attempt], err = decodeReplay(r.Replay); err != nil {
			return nil, fmt.Errorf("read replay of %s: %w", r.Attempt, err)
		}
	}
	return replays, nil
}

// Output returns what an attempt wrote, without its private state, or
// [agent.ErrNotFound].
func (j Journal) Output(ctx context.Context, id agent.ConversationID, attempt agent.AttemptID) (agent.Output, error) {
	var row outputRow
	err := j.db.read(ctx).Select("run", "attempt", "withdrawn", "segments").Take(&row, "conversation = ? AND attempt = ?", id, attempt).Error
	if err != nil {
		return agent.Output{}, failed(ctx, "read output", err)
	}
	o := agent.Output{Run: row.Run, Attempt: row.Attempt, Withdrawn: row.Withdrawn}
	if err := json.Unmarshal(row.Segments, &o.Segments); err != nil {
		return agent.Output{}, fmt.Errorf("read output of %s: %w", attempt, err)
	}
	return o, nil
}

// Rebuild computes what follows from a conversation's records anew.
func (j Journal) Rebuild(ctx context.Context, id agent.ConversationID) error {
	err := j.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) error {
		if err := tx.Take(&conversationRow{}, "id = ? AND deleted = 0", id).Error; err != nil {
			return err
		}
		m := &readModel{id: id}
		for r, err := range readEvents(tx, 0, "conversation = ?", id) {
			if err != nil {
				return err
			}
			m.apply(r)
		}
		return m.replace(tx)
	})
	return failed(ctx, "rebuild "+string(id), err)
}

// upsert replaces the row that has the same key.
func upsert(key ...string) clause.OnConflict {
	columns := make([]clause.Column, len(key))
	for i, k := range key {
		columns[i].Name = k
	}
	return clause.OnConflict{Columns: columns, UpdateAll: true}
}
