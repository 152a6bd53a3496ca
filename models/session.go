package models

import (
	"context"
	"time"

	"github.com/alexedwards/scs/v2"
	"gorm.io/gorm"
)

var _ scs.CtxStore = Sessions{}

// sweepEvery is how often expired sessions are removed.
const sweepEvery = 10 * time.Minute

// Sessions keeps the sessions of browsers, for scs. What is in one is not its
// business.
type Sessions struct{ db *DB }

// Sessions returns the store of sessions.
func (db *DB) Sessions() Sessions { return Sessions{db} }

type sessionRow struct {
	Token     string
	Data      []byte
	ExpiresAt stamp
}

func (sessionRow) TableName() string { return "sessions" }

// FindCtx implements [scs.CtxStore].
func (s Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	var rows []sessionRow
	err := s.db.read(ctx).Limit(1).Find(&rows, "token = ? AND expires_at > ?", token, stampOf(s.db.now())).Error
	if err != nil || len(rows) == 0 {
		return nil, false, failed(ctx, "read session", err)
	}
	return rows[0].Data, true, nil
}

// CommitCtx implements [scs.CtxStore].
func (s Sessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(upsert("token")).Create(&sessionRow{token, data, stampOf(expiry)}).Error
	})
	return failed(ctx, "store session", err)
}

// DeleteCtx implements [scs.CtxStore].
func (s Sessions) DeleteCtx(ctx context.Context, token string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Delete(&sessionRow{}, "token = ?", token).Error
	})
	return failed(ctx, "delete session", err)
}

// Find implements [scs.Store].
func (s Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements [scs.Store].
func (s Sessions) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete implements [scs.Store].
func (s Sessions) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}

// Sweep removes the sessions that have expired, and returns how many. An open
// database does so by itself from time to time.
func (s Sessions) Sweep(ctx context.Context) (int64, error) {
	var swept int64
	err := s.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) error {
		tx = tx.Delete(&sessionRow{}, "expires_at <= ?", stampOf(s.db.now()))
		swept = tx.RowsAffected
		return tx.Error
	})
	return swept, failed(ctx, "sweep sessions", err)
}

// sweepUntil sweeps from time to time, until the context ends.
func (s Sessions) sweepUntil(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.db.config.Logger.Error("sessions are not swept", "error", err)
		}
	}
}
