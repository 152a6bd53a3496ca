package models

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// A Scope is something that an API key may do in the name of its person.
type Scope string

const (
	ScopeRead   Scope = "read"   // read conversations and runs, follow them
	ScopeRun    Scope = "run"    // start, answer and cancel runs
	ScopeDecide Scope = "decide" // countersign calls of runs that this key did not start
	ScopeAdmin  Scope = "admin"  // manage everybody's keys, make tokens for end users; for admins only
)

// Scopes lists every scope.
var Scopes = []Scope{ScopeRead, ScopeRun, ScopeDecide, ScopeAdmin}

// TokenPrefix is how every token of a key begins.
const TokenPrefix = "cba_"

// MaxKeys is how many keys a person may have.
const MaxKeys = 50

const (
	tokenBytes = 32
	// prefixShown is how much of a token is kept to recognise it by.
	prefixShown = len(TokenPrefix) + 6
	// useEvery is how exact the last use of a key is.
	useEvery = time.Minute
)

// An APIKey lets a program act for a person, as far as its scopes go.
type APIKey struct {
	ID        agent.KeyID
	Prefix    string // the start of the token
	User      agent.UserID
	Name      string
	Scopes    []Scope // in the order of [Scopes]
	By        agent.UserID
	CreatedAt time.Time
	UsedAt    time.Time // about the last use, zero before the first
	ExpiresAt time.Time // zero for never
}

// May reports whether the key has a scope.
func (k APIKey) May(s Scope) bool { return slices.Contains(k.Scopes, s) }

// APIKeys stores the keys of programs. Of a token it knows a hash alone.
type APIKeys struct{ db *DB }

// APIKeys returns the store of keys.
func (db *DB) APIKeys() APIKeys { return APIKeys{db} }

type apiKeyRow struct {
	ID        agent.KeyID
	TokenHash []byte
	Prefix    string
	UserID    agent.UserID
	Name      string
	Scopes    string
	CreatedBy agent.UserID
	CreatedAt stamp `gorm:"autoCreateTime:false"`
	UsedAt    stamp
	ExpiresAt stamp
}

func (apiKeyRow) TableName() string { return "api_keys" }

func (r apiKeyRow) key() APIKey {
	k := APIKey{
		ID: r.ID, Prefix: r.Prefix, User: r.UserID, Name: r.Name, By: r.CreatedBy,
		CreatedAt: r.CreatedAt.time(), UsedAt: r.UsedAt.time(), ExpiresAt: r.ExpiresAt.time(),
	}
	for _, s := range strings.Fields(r.Scopes) {
		k.Scopes = append(k.Scopes, Scope(s))
	}
	return k
}

// Create stores a key and returns its token, which nobody can learn later. The
// error is [Invalid], or [ErrNotFound] if the person does not exist.
func (s APIKeys) Create(ctx context.Context, n APIKey) (APIKey, Secret, error) {
	now, token := s.db.now(), newToken(TokenPrefix)
	row := apiKeyRow{
		ID: agent.KeyID(agent.NewID("k_")), TokenHash: hashToken(token), Prefix: token.Reveal()[:prefixShown],
		UserID: n.User, Name: strings.TrimSpace(n.Name), CreatedBy: n.By,
		CreatedAt: stampOf(now), ExpiresAt: stampOf(n.ExpiresAt),
	}
	v := Invalid{}
	v.check("name", checkName(row.Name))
	row.Scopes = scopeWords(n.Scopes, v)
	if !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now) {
		v.check("expires", "Choose a day to come.")
	}
	if err := v.err(); err != nil {
		return APIKey{}, Secret{}, err
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var user userRow
		if err := tx.Take(&user, "id = ?", row.UserID).Error; err != nil {
			return err
		}
		if user.Role != RoleAdmin && slices.Contains(n.Scopes, ScopeAdmin) {
			return Invalid{"scopes": "Only the key of an admin may manage keys."}
		}
		var have int64
		if err := tx.Model(&apiKeyRow{}).Where("user_id = ?", row.UserID).Count(&have).Error; err != nil {
			return err
		}
		if have >= MaxKeys {
			return Invalid{"name": "There are 50 keys already. Revoke one first."}
		}
		return tx.Create(&row).Error
	})
	if err != nil {
		return APIKey{}, Secret{}, failed(ctx, "create API key", err)
	}
	return row.key(), token, nil
}

// scopeWords returns scopes as they are stored, in order and without repeats.
func scopeWords(list []Scope, v Invalid) string {
	var words []string
	for _, s := range Scopes {
		if slices.Contains(list, s) {
			words = append(words, string(s))
		}
	}
	unknown := slices.ContainsFunc(list, func(s Scope) bool { return !slices.Contains(Scopes, s) })
	if len(words) == 0 || unknown {
		v.check("scopes", "Choose what the key may do.")
	}
	return strings.Join(words, " ")
}

// Use returns the key of a token with its person, and notes the use. The error
// is [ErrNotFound] if the key is unknown, revoked or over, or if the person is
// disabled. The key of a person who is no admin any more has no admin's scope.
func (s APIKeys) Use(ctx context.Context, token Secret) (APIKey, User, error) {
	now := s.db.now()
	var row apiKeyRow
	err := s.db.read(ctx).Take(&row, "token_hash = ? AND (expires_at = 0 OR expires_at > ?)", hashToken(token), stampOf(now)).Error
	if err != nil {
		return APIKey{}, User{}, failed(ctx, "read API key", err)
	}
	key, user, err := s.withUser(ctx, row)
	if err == nil && now.Sub(key.UsedAt) >= useEvery {
		key.UsedAt = now
		err = s.used(ctx, row.ID, now)
	}
	return key, user, err
}

// used notes a use. On a full disk the key can be used all the same.
func (s APIKeys) used(ctx context.Context, id agent.KeyID, at time.Time) error {
	err := s.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) error {
		return tx.Model(&apiKeyRow{}).Where("id = ? AND used_at < ?", id, stampOf(at)).Update("used_at", stampOf(at)).Error
	})
	if errors.Is(err, agent.ErrFull) {
		return nil
	}
	return failed(ctx, "note the use of an API key", err)
}

// Check is Use for a key that is in use already.
func (s APIKeys) Check(ctx context.Context, id agent.KeyID) (APIKey, User, error) {
	var row apiKeyRow
	err := s.db.read(ctx).Take(&row, "id = ? AND (expires_at = 0 OR expires_at > ?)", id, stampOf(s.db.now())).Error
	if err != nil {
		return APIKey{}, User{}, failed(ctx, "read API key", err)
	}
	return s.withUser(ctx, row)
}

func (s APIKeys) withUser(ctx context.Context, row apiKeyRow) (APIKey, User, error) {
	user, err := s.db.Users().Get(ctx, row.UserID)
	if err == nil && user.Disabled {
		err = ErrNotFound
	}
	key := row.key()
	if user.Role != RoleAdmin {
		key.Scopes = slices.DeleteFunc(key.Scopes, func(s Scope) bool { return s == ScopeAdmin })
	}
	return key, user, err
}

// List returns the keys of a person, or of everybody with "", newest first.
// Those that are over are among them.
func (s APIKeys) List(ctx context.Context, user agent.UserID) ([]APIKey, error) {
	q := s.db.read(ctx).Order("created_at DESC, id")
	if user != "" {
		q = q.Where("user_id = ?", user)
	}
	var rows []apiKeyRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list API keys", err)
	}
	list := make([]APIKey, len(rows))
	for i, r := range rows {
		list[i] = r.key()
	}
	return list, nil
}

// Revoke ends a key of a person, or of anybody with "", for good. The error is
// [ErrNotFound] if there is none.
func (s APIKeys) Revoke(ctx context.Context, id agent.KeyID, user agent.UserID) (APIKey, error) {
	var row apiKeyRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		q := tx.Where("id = ?", id)
		if user != "" {
			q = q.Where("user_id = ?", user)
		}
		if err := q.Take(&row).Error; err != nil {
			return err
		}
		return tx.Delete(&apiKeyRow{}, "id = ?", id).Error
	})
	return row.key(), failed(ctx, "revoke API key", err)
}
