package web

import (
	"context"
	"time"

	"github.com/alexedwards/scs/v2"

	"countersign/agent"
	"countersign/models"
)

var _ scs.CtxStore = sessionStore{}

// A sessionStore keeps the sessions of scs, and beside each what its person
// may see of it. That is read from the session itself, so the two agree.
type sessionStore struct {
	sessions models.Sessions
	codec    scs.Codec
}

// FindCtx implements [scs.CtxStore].
func (s sessionStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	return s.sessions.Find(ctx, token)
}

// CommitCtx implements [scs.CtxStore].
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	_, values, err := s.codec.Decode(data)
	if err != nil {
		return err
	}
	text := func(key string) string { v, _ := values[key].(string); return v }
	moment := func(key string) time.Time { v, _ := values[key].(int64); return time.Unix(v, 0) }
	return s.sessions.Save(ctx, token, models.Session{
		ID: text(sessionID), User: agent.UserID(text(sessionUser)), Browser: text(sessionBrowser),
		CreatedAt: moment(sessionStarted), UsedAt: moment(sessionSeen),
	}, data, expiry)
}

// DeleteCtx implements [scs.CtxStore].
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.sessions.Delete(ctx, token)
}

// Find implements [scs.Store].
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit implements [scs.Store].
func (s sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete implements [scs.Store].
func (s sessionStore) Delete(token string) error {
	return s.DeleteCtx(context.Background(), token)
}
