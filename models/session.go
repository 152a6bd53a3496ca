package models

import (
	"context"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// sweepEvery is how often expired sessions are removed.
const sweepEvery = 10 * time.Minute

// Sessions keeps the sessions of browsers. What is in one is not its business.
type Sessions struct{ db *DB }

// Sessions returns the store of sessions.
func (db *DB) Sessions() Sessions { return Sessions{db} }

// A Session is a browser in which somebody is signed in.
type Session struct {
	ID        string // names it and opens nothing
	User      agent.UserID
	Browser   string // what it is, in words
	CreatedAt time.Time
	UsedAt    time.Time // about the last use
}

type sessionRow struct {
	Token     string
	ID        string
	UserID    agent.UserID
	Browser   string
	Data      []byte
	CreatedAt stamp `gorm:"autoCreateTime:false"`
	UsedAt    stamp
	ExpiresAt stamp
}

func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) session() Session {
	return Session{r.ID, r.UserID, r.Browser, r.CreatedAt.time(), r.UsedAt.time()}
}

// Find returns the data that is stored for a token, unless it has expired.
func (s Sessions) Find(ctx context.Context, token string) ([]byte, bool, error) {
	var rows []sessionRow
	err := s.db.read(ctx).Limit(1).Find(&rows, "token = ? AND expires_at > ?", token, stampOf(s.db.now())).Error
	if err != nil || len(rows) == 0 {
		return nil, false, failed(ctx, "read session", err)
	}
	return rows[0].Data, true, nil
}

// Save stores a session with its data under a token, in place of what was
// there. Its last use counts as the person's.
func (s Sessions) Save(ctx context.Context, token string, n Session, data []byte, expiry time.Time) error {
	row := sessionRow{token, n.ID, n.User, n.Browser, data, stampOf(n.CreatedAt), stampOf(n.UsedAt), stampOf(expiry)}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(upsert("token")).Create(&row).Error; err != nil {
			return err
		}
		return tx.Model(&userRow{}).Where("id = ? AND seen_at < ?", n.User, row.UsedAt).Update("seen_at", row.UsedAt).Error
	})
	return failed(ctx, "store session", err)
}

// Delete removes what is stored for a token, if anything is.
func (s Sessions) Delete(ctx context.Context, token string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Delete(&sessionRow{}, "token = ?", token).Error
	})
	return failed(ctx, "delete session", err)
}

// List returns the sessions of a person that have not expired, the one used
// last first.
func (s Sessions) List(ctx context.Context, user agent.UserID) ([]Session, error) {
	var rows []sessionRow
	err := s.db.read(ctx).Omit("data").Order("used_at DESC, id").
		Find(&rows, "user_id = ? AND expires_at > ?", user, stampOf(s.db.now())).Error
	if err != nil {
		return nil, failed(ctx, "list sessions", err)
	}
	list := make([]Session, len(rows))
	for i, r := range rows {
		list[i] = r.session()
	}
	return list, nil
}

// End removes a session of a person, or returns [ErrNotFound].
func (s Sessions) End(ctx context.Context, user agent.UserID, id string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Delete(&sessionRow{}, "user_id = ? AND id = ?", user, id)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	return failed(ctx, "end session", err)
}

// EndAll removes the sessions of a person but for one, which may be "", and
// returns their ids.
func (s Sessions) EndAll(ctx context.Context, user agent.UserID, but string) ([]string, error) {
	var ended []string
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		return tx.Raw("DELETE FROM sessions WHERE user_id = ? AND id <> ? RETURNING id", user, but).Scan(&ended).Error
	})
	return ended, failed(ctx, "end sessions", err)
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
