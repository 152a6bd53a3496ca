package models

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"countersign/agent"
)

// ErrLastAgent says that no agent would be left.
var ErrLastAgent = errors.New("the last agent can't be removed")

// Conversations counts the conversations that an agent answers in, archived
// ones too.
func (s Agents) Conversations(ctx context.Context, id agent.AgentID) (int, error) {
	var n int64
	err := s.db.read(ctx).Model(&conversationRow{}).Where("agent = ? AND deleted = 0", id).Count(&n).Error
	return int(n), failed(ctx, "count the conversations of an agent", err)
}

// Remove removes an agent. Its conversations stay, and keep its name; nobody
// answers there any more. The error may be [ErrNotFound] or [ErrLastAgent].
func (s Agents) Remove(ctx context.Context, id agent.AgentID) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		gone := tx.Delete(&agentRow{}, "id = ?", id)
		if gone.Error != nil {
			return gone.Error
		}
		if gone.RowsAffected == 0 {
			return ErrNotFound
		}
		var left int64
		err := tx.Model(&agentRow{}).Count(&left).Error
		if err == nil && left == 0 {
			err = ErrLastAgent // undoes the rest
		}
		return err
	})
	return failed(ctx, "remove agent", err)
}
