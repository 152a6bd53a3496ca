package models

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
)

const (
	// EndUserTokenPrefix is how every token of an end user begins.
	EndUserTokenPrefix = "cbu_"
	// EndUserTokenLasts is how long such a token works.
	EndUserTokenLasts = time.Hour
	// MaxExternal is the longest id that a program may give an end user, in
	// characters.
	MaxExternal = 200
	// sweptTokens is how many old tokens go when one is made.
	sweptTokens = 100
)

// An EndUser is somebody whom a program serves with one agent. They own their
// conversations, and nobody else has them.
type EndUser struct {
	ID       agent.UserID
	Host     agent.UserID // the person who answers for them
	Agent    agent.AgentID
	External string // what the program calls them
	Name     string
}

// EndUsers stores end users and their tokens. Of a token it knows a hash alone.
type EndUsers struct{ db *DB }

// EndUsers returns the store of end users.
func (db *DB) EndUsers() EndUsers { return EndUsers{db} }

type endUserRow struct {
	ID        agent.UserID
	Host      agent.UserID
	Agent     agent.AgentID
	External  string
	Name      string
	CreatedAt stamp `gorm:"autoCreateTime:false"`
}

func (endUserRow) TableName() string { return "end_users" }

func (r endUserRow) endUser() EndUser { return EndUser{r.ID, r.Host, r.Agent, r.External, r.Name} }

type endUserTokenRow struct {
	TokenHash []byte
	EndUser   agent.UserID
	APIKey    agent.KeyID `gorm:"column:api_key"`
	ExpiresAt stamp
}

func (endUserTokenRow) TableName() string { return "end_user_tokens" }

// newToken returns a token of 256 bits that nobody can guess.
func newToken(prefix string) Secret {
	var random [tokenBytes]byte
	_, _ = rand.Read(random[:]) // never fails
	return NewSecret(prefix + base64.RawURLEncoding.EncodeToString(random[:]))
}

// Mint returns a token for an end user, which nobody can learn later. An end
// user whom the host's program named before is the same one, with the name
// that is given now. The error is [Invalid].
func (s EndUsers) Mint(ctx context.Context, key agent.KeyID, n EndUser) (EndUser, Secret, time.Time, error) {
	row := endUserRow{
		ID: agent.UserID(agent.NewID("e_")), Host: n.Host, Agent: n.Agent, External: n.External,
		Name: strings.TrimSpace(n.Name), CreatedAt: stampOf(s.db.now()),
	}
	v := Invalid{}
	if n := utf8.RuneCountInString(row.External); n == 0 || n > MaxExternal || !isLine(row.External) {
		v.check("end_user", "Give the end user an id of at most 200 characters.")
	}
	v.check("name", checkName(row.Name))
	if err := v.err(); err != nil {
		return EndUser{}, Secret{}, time.Time{}, err
	}
	token, expires := newToken(EndUserTokenPrefix), s.db.now().Add(EndUserTokenLasts)
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		rename := clause.OnConflict{
			Columns:   []clause.Column{{Name: "host"}, {Name: "agent"}, {Name: "external"}},
			DoUpdates: clause.AssignmentColumns([]string{"name"}),
		}
		if err := tx.Clauses(rename).Create(&row).Error; err != nil {
			return err
		}
		var known endUserRow // who may have another id
		err := tx.Take(&known, "host = ? AND agent = ? AND external = ?", row.Host, row.Agent, row.External).Error
		if err != nil {
			return err
		}
		row = known
		old := tx.Model(&endUserTokenRow{}).Select("token_hash").Where("expires_at <= ?", stampOf(s.db.now())).Limit(sweptTokens)
		if err := tx.Where("token_hash IN (?)", old).Delete(&endUserTokenRow{}).Error; err != nil {
			return err
		}
		return tx.Create(&endUserTokenRow{hashToken(token), row.ID, key, stampOf(expires)}).Error
	})
	if err != nil {
		return EndUser{}, Secret{}, time.Time{}, failed(ctx, "make a token", err)
	}
	return row.endUser(), token, expires, nil
}

// Use returns the end user of a token with the key that made it and when the
// token ends. The error is [ErrNotFound] if the token is unknown or over, or if
// the key makes no tokens any more.
func (s EndUsers) Use(ctx context.Context, token Secret) (EndUser, APIKey, time.Time, error) {
	var found endUserTokenRow
	err := s.db.read(ctx).Take(&found, "token_hash = ? AND expires_at > ?", hashToken(token), stampOf(s.db.now())).Error
	if err != nil {
		return EndUser{}, APIKey{}, time.Time{}, failed(ctx, "read token", err)
	}
	key, _, err := s.db.APIKeys().Check(ctx, found.APIKey)
	if err == nil && !key.May(ScopeAdmin) {
		err = ErrNotFound
	}
	var row endUserRow
	if err == nil {
		err = s.db.read(ctx).Take(&row, "id = ?", found.EndUser).Error
	}
	return row.endUser(), key, found.ExpiresAt.time(), failed(ctx, "read end user", err)
}
