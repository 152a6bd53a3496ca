package models

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// What one job of an erasure takes away at most.
const (
	eraseEvents = 200
	eraseRows   = 20
)

// An erasedDecisionRow is what remains of a decision in a deleted
// conversation.
type erasedDecisionRow struct {
	ID           int64
	Conversation agent.ConversationID
	Run          agent.RunID
	Tool         string
	Verdict      agent.Verdict
	Origin       agent.Origin
	Actor        agent.UserID
	At           stamp
}

func (erasedDecisionRow) TableName() string { return "erased_decisions" }

// Delete takes a conversation from its owner for good: from here on it is not
// found, and nothing can be added to it. Its records, outputs, notes, files and lists
// are erased soon after, in the background; see Erase. The error is
// [ErrNotFound], or [agent.ErrConflict] while a run is under way: cancel it
// first.
func (s Conversations) Delete(ctx context.Context, id agent.ConversationID, owner agent.UserID) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var row conversationRow
		err := tx.Select("run_status").Take(&row, "id = ? AND owner = ? AND deleted = 0", id, owner).Error
		switch {
		case err != nil:
			return err
		case row.RunStatus != agent.StatusNone && !row.RunStatus.Terminal():
			return agent.ErrConflict
		}
		return markDeleted(tx, id)
	})
	if err != nil {
		return failed(ctx, "delete conversation", err)
	}
	s.wantErased()
	return nil
}

// markDeleted takes a conversation from its owner and leaves it to the erasure.
func markDeleted(tx *gorm.DB, id agent.ConversationID) error {
	if err := tx.Model(&attachmentRow{}).Where("conversation = ?", id).Update("owner", "").Error; err != nil {
		return err
	}
	return tx.Model(&conversationRow{}).Where("id = ?", id).
		Select("owner", "title", "head", "queued", "grants", "deleted").
		Updates(conversationRow{Head: []byte("{}"), Deleted: true}).Error
}

func (s Conversations) wantErased() {
	select {
	case s.db.erasing <- struct{}{}:
	default:
	}
}

// An Extent is how much a conversation holds.
type Extent struct {
	Messages int // of its owner
	Notes    int
}

// Extent counts what deleting a conversation would take away.
func (s Conversations) Extent(ctx context.Context, id agent.ConversationID) (Extent, error) {
	var messages, notes int64
	err := s.db.read(ctx).Model(&runRow{}).Where("conversation = ? AND rewound = 0", id).Count(&messages).Error
	if err == nil {
		err = s.db.read(ctx).Model(&noteRow{}).Where("conversation = ?", id).Count(&notes).Error
	}
	return Extent{int(messages), int(notes)}, failed(ctx, "measure conversation", err)
}

// Erase removes what is left of deleted conversations, and uploads that were not
// sent within a day, part by part, and returns when nothing is. An open database
// does so by itself, also for what an earlier process had begun: with what was
// deleted at once, with uploads from time to time. Of every decision remains
// that it was made.
func (s Conversations) Erase(ctx context.Context) error { return s.erase(ctx, true) }

func (s Conversations) erase(ctx context.Context, uploads bool) error {
	s.db.erasure.Lock()
	defer s.db.erasure.Unlock()
	for more := true; more; {
		err := s.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) (err error) {
			if more, err = eraseSome(tx); more || err != nil || !uploads {
				return err
			}
			more, err = eraseUnsent(tx, stampOf(s.db.now().Add(-keepUnsent)))
			return err
		})
		if err != nil {
			return failed(ctx, "erase conversations", err)
		}
		s.db.traces = s.db.traces || more
	}
	if !s.db.traces {
		return nil
	}
	// What was overwritten is also in the log beside the file.
	done, err := checkpoint(ctx, s.db.file)
	s.db.traces = !done
	return failed(ctx, "empty the write-ahead log", err)
}

// eraseSome removes a part of a deleted conversation, and reports whether
// there was one.
func eraseSome(tx *gorm.DB) (bool, error) {
	var rows []conversationRow
	if err := tx.Select("id").Where("deleted = 1").Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return false, err
	}
	id := rows[0].ID
	n, err := eraseRecords(tx, id)
	for _, part := range []string{
		`DELETE FROM attempt_outputs WHERE conversation = ? AND attempt IN (SELECT attempt FROM attempt_outputs WHERE conversation = ? LIMIT ?)`,
		`DELETE FROM notes WHERE conversation = ? AND title IN (SELECT title FROM notes WHERE conversation = ? LIMIT ?)`,
		`DELETE FROM interactions WHERE conversation = ? AND id IN (SELECT id FROM interactions WHERE conversation = ? LIMIT ?)`,
		`DELETE FROM runs WHERE conversation = ? AND id IN (SELECT id FROM runs WHERE conversation = ? LIMIT ?)`,
	} {
		if n > 0 || err != nil {
			break
		}
		done := tx.Exec(part, id, id, eraseRows)
		n, err = done.RowsAffected, done.Error
	}
	if n > 0 || err != nil {
		return true, err
	}
	if n, err := eraseAttachment(tx, "conversation = ?", id); n > 0 || err != nil {
		return true, err
	}
	// Whatever else belongs to a conversation goes with its row.
	return true, tx.Delete(&conversationRow{}, "id = ?", id).Error
}

// eraseRecords removes the oldest records, and keeps of decisions what may be
// kept.
func eraseRecords(tx *gorm.DB, id agent.ConversationID) (int64, error) {
	var first []agent.Seq
	if err := tx.Model(&eventRow{}).Where("conversation = ?", id).Order("seq").Limit(1).Pluck("seq", &first).Error; err != nil || len(first) == 0 {
		return 0, err
	}
	which, before := "conversation = ? AND seq < ?", first[0]+eraseEvents
	var decisions []eventRow
	err := tx.Where(which, id, before).Find(&decisions, "kind = ?", (agent.ApprovalDecision{}).Kind()).Error
	if err != nil {
		return 0, err
	}
	for _, row := range decisions {
		r, err := row.record()
		if err != nil {
			return 0, err
		}
		d := r.Event.(agent.ApprovalDecision) // that is what the kind says
		kept := erasedDecisionRow{
			Conversation: id, Run: row.Run, Tool: d.Tool, Verdict: d.Verdict, Origin: d.Origin, Actor: d.By.User, At: row.At,
		}
		if err := tx.Create(&kept).Error; err != nil {
			return 0, err
		}
	}
	done := tx.Delete(&eventRow{}, which, id, before)
	return done.RowsAffected, done.Error
}

// eraseUntil erases whenever something was deleted, until the context ends.
// From time to time it takes care of what could not be done at once.
func (s Conversations) eraseUntil(ctx context.Context) {
	again := time.NewTicker(sweepEvery)
	defer again.Stop()
	for uploads := false; ; {
		if err := s.erase(ctx, uploads); err != nil && ctx.Err() == nil {
			s.db.config.Logger.Error("deleted conversations are not erased", "error", err)
		}
		select {
		case <-s.db.erasing:
			uploads = false
		case <-again.C:
			uploads = true
		case <-ctx.Done():
			return
		}
	}
}
