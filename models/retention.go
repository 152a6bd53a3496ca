package models

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// retainEvery is how long a server waits between two looks for conversations
// that nobody uses.
const retainEvery = 24 * time.Hour

// DeleteUnused deletes the conversations that nobody has used for as many days
// as the settings say, archived ones too, and returns how many. Use is whatever
// is recorded: a message, an answer, a decision, a new title; reading is none.
// One with a run that is not over, an open card or a message that waits stays.
func (s Conversations) DeleteUnused(ctx context.Context) (int, error) {
	settings, err := s.db.Settings(ctx)
	if err != nil || settings.KeepDays == 0 {
		return 0, err
	}
	before := s.unusedSince(settings.KeepDays)
	deleted := 0
	for after := agent.ConversationID(""); ; {
		var ids []agent.ConversationID
		err := unused(s.db.read(ctx), before).Where("id > ?", after).Order("id").Limit(eraseRows).Pluck("id", &ids).Error
		if err != nil {
			return deleted, failed(ctx, "look for unused conversations", err)
		}
		if len(ids) == 0 {
			break
		}
		after = ids[len(ids)-1]
		n := 0
		err = s.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) (err error) {
			n, err = deleteUnused(tx, before, ids)
			return err
		})
		if err != nil {
			return deleted, failed(ctx, "delete unused conversations", err)
		}
		deleted += n
	}
	if deleted > 0 {
		s.wantErased()
	}
	return deleted, nil
}

// Unused counts the conversations that nobody has used for a number of days,
// as [Conversations.DeleteUnused] finds them. It may count some whose message
// still waits.
func (s Conversations) Unused(ctx context.Context, days int) (int, error) {
	var n int64
	err := unused(s.db.read(ctx), s.unusedSince(days)).Count(&n).Error
	return int(n), failed(ctx, "count unused conversations", err)
}

func (s Conversations) unusedSince(days int) stamp {
	return stampOf(s.db.now().AddDate(0, 0, -days))
}

func unused(tx *gorm.DB, before stamp) *gorm.DB {
	return tx.Model(&conversationRow{}).
		Where("deleted = 0 AND needs_you = 0 AND updated_at < ?", before).
		Where("NOT EXISTS (SELECT 1 FROM runs r WHERE r.conversation = conversations.id AND r.rewound = 0 AND r.status NOT IN ?)",
			[]agent.RunStatus{agent.StatusSucceeded, agent.StatusFailed, agent.StatusCancelled}).
		Where("NOT EXISTS (SELECT 1 FROM interactions i WHERE i.conversation = conversations.id AND i.open = 1)")
}

// deleteUnused looks once more, so that nothing is deleted that came into use
// meanwhile.
func deleteUnused(tx *gorm.DB, before stamp, ids []agent.ConversationID) (int, error) {
	var rows []conversationRow
	if err := unused(tx, before).Where("id IN ?", ids).Find(&rows).Error; err != nil {
		return 0, err
	}
	n := 0
	for _, row := range rows {
		head, err := row.head()
		if err != nil {
			return 0, err
		}
		if len(head.Queue) > 0 {
			continue
		}
		if err := markDeleted(tx, row.ID); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// RetainUntil deletes unused conversations now and every day, until the context
// ends.
func (s Conversations) RetainUntil(ctx context.Context) {
	daily := time.NewTicker(retainEvery)
	defer daily.Stop()
	for {
		n, err := s.DeleteUnused(ctx)
		if n > 0 {
			s.db.config.Logger.Info("unused conversations deleted", "count", n)
		}
		if err != nil && ctx.Err() == nil {
			s.db.config.Logger.Error("unused conversations are not deleted", "error", err)
		}
		select {
		case <-daily.C:
		case <-ctx.Done():
			return
		}
	}
}
