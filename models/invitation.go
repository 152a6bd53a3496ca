package models

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// InvitationLasts is how long an invitation can be accepted.
const InvitationLasts = 7 * 24 * time.Hour

// An Invitation lets somebody become a user once, with the address and the
// role that an admin chose.
type Invitation struct {
	ID        string
	Email     string
	Name      string // a proposal, may be ""
	Role      Role
	By        agent.UserID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Invitations stores the invitations that nobody has accepted yet. Of the
// secret in a link it knows a hash alone.
type Invitations struct{ db *DB }

// Invitations returns the store of invitations.
func (db *DB) Invitations() Invitations { return Invitations{db} }

type invitationRow struct {
	ID        string
	TokenHash []byte
	Email     string
	EmailKey  string
	Name      string
	Role      Role
	InvitedBy agent.UserID
	CreatedAt stamp `gorm:"autoCreateTime:false"`
	ExpiresAt stamp
}

func (invitationRow) TableName() string { return "invitations" }

func (r invitationRow) invitation() Invitation {
	return Invitation{r.ID, r.Email, r.Name, r.Role, r.InvitedBy, r.CreatedAt.time(), r.ExpiresAt.time()}
}

func hashToken(token Secret) []byte {
	sum := sha256.Sum256([]byte(token.Reveal()))
	return sum[:]
}

// Create invites somebody and returns the secret for the link, which nobody
// can learn later. An earlier invitation of the same address ends. The error
// is [Invalid], also if the address is a user's.
func (s Invitations) Create(ctx context.Context, n Invitation) (Invitation, Secret, error) {
	now, token := s.db.now(), NewSecret(rand.Text())
	row := invitationRow{
		ID: agent.NewID("v_"), TokenHash: hashToken(token), Email: strings.TrimSpace(n.Email), EmailKey: emailKey(n.Email),
		Name: strings.TrimSpace(n.Name), Role: n.Role, InvitedBy: n.By,
		CreatedAt: stampOf(now), ExpiresAt: stampOf(now.Add(InvitationLasts)),
	}
	v := Invalid{}
	v.check("email", checkEmail(row.Email))
	v.check("role", checkRole(row.Role))
	if row.Name != "" {
		v.check("name", checkName(row.Name))
	}
	if err := v.err(); err != nil {
		return Invitation{}, Secret{}, err
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var taken int64
		if err := tx.Model(&userRow{}).Where("email_key = ?", row.EmailKey).Count(&taken).Error; err != nil {
			return err
		}
		if taken > 0 {
			return emailTaken()
		}
		err := tx.Delete(&invitationRow{}, "email_key = ? OR expires_at <= ?", row.EmailKey, row.CreatedAt).Error
		if err != nil {
			return err
		}
		return tx.Create(&row).Error
	})
	if err != nil {
		return Invitation{}, Secret{}, failed(ctx, "create invitation", err)
	}
	return row.invitation(), token, nil
}

// Find returns the invitation of a link. One that is withdrawn, accepted or
// over is [ErrNotFound].
func (s Invitations) Find(ctx context.Context, token Secret) (Invitation, error) {
	var row invitationRow
	err := s.db.read(ctx).Take(&row, "token_hash = ? AND expires_at > ?", hashToken(token), stampOf(s.db.now())).Error
	return row.invitation(), failed(ctx, "read invitation", err)
}

// List returns the invitations that can still be accepted, oldest first.
func (s Invitations) List(ctx context.Context) ([]Invitation, error) {
	var rows []invitationRow
	err := s.db.read(ctx).Order("created_at, id").Find(&rows, "expires_at > ?", stampOf(s.db.now())).Error
	if err != nil {
		return nil, failed(ctx, "list invitations", err)
	}
	list := make([]Invitation, len(rows))
	for i, r := range rows {
		list[i] = r.invitation()
	}
	return list, nil
}

// Withdraw ends an invitation and returns it, or [ErrNotFound].
func (s Invitations) Withdraw(ctx context.Context, id string) (Invitation, error) {
	var row invitationRow
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if err := tx.Take(&row, "id = ?", id).Error; err != nil {
			return err
		}
		return tx.Delete(&invitationRow{}, "id = ?", id).Error
	})
	return row.invitation(), failed(ctx, "withdraw invitation", err)
}

// Accept makes a user of whoever holds the link. Of two at once, one succeeds.
// The error is [ErrNotFound] as with Find, or [Invalid], after which the
// invitation still stands.
func (s Invitations) Accept(ctx context.Context, token Secret, name string, password Secret) (User, error) {
	invited, err := s.Find(ctx, token)
	if err != nil {
		return User{}, err
	}
	row, err := s.db.Users().row(ctx, NewUser{Email: invited.Email, Name: name, Role: invited.Role, Password: password})
	if err != nil {
		return User{}, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		used := tx.Delete(&invitationRow{}, "token_hash = ? AND expires_at > ?", hashToken(token), stampOf(s.db.now()))
		if used.Error == nil && used.RowsAffected == 0 {
			return ErrNotFound
		}
		if used.Error != nil {
			return used.Error
		}
		return tx.Create(&row).Error
	})
	if isDuplicate(err) {
		return User{}, emailTaken()
	}
	return row.user(), failed(ctx, "accept invitation", err)
}
