package models

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"countersign/agent"
)

// ErrLastAdmin says that nobody would be left who may configure the server.
var ErrLastAdmin = errors.New("this is the last admin who may sign in")

// SetName renames a person. The error is [Invalid] or [ErrNotFound]. What they
// signed before keeps the name they had.
func (u Users) SetName(ctx context.Context, id agent.UserID, name string) error {
	name = strings.TrimSpace(name)
	if problem := checkName(name); problem != "" {
		return Invalid{"name": problem}
	}
	return u.update(ctx, id, "name", name)
}

// SetPassword gives a person a new password. The error is [Invalid] or
// [ErrNotFound].
func (u Users) SetPassword(ctx context.Context, id agent.UserID, p Secret) error {
	if problem := checkPassword(p); problem != "" {
		return Invalid{"password": problem}
	}
	hash, err := u.db.hasher.hash(ctx, p)
	if err != nil {
		return err
	}
	return u.update(ctx, id, "password_hash", hash)
}

// ChangePassword is SetPassword for a person who knows the current one. The
// error is [ErrCredentials] if they do not.
func (u Users) ChangePassword(ctx context.Context, id agent.UserID, current, p Secret) error {
	row, err := u.take(ctx, "id = ?", id)
	if err != nil {
		return err
	}
	if len(current.Reveal()) > maxPassword {
		return ErrCredentials
	}
	ok, err := u.db.hasher.verify(ctx, current, row.PasswordHash)
	switch {
	case err != nil:
		return failed(ctx, "verify password", err)
	case !ok:
		return ErrCredentials
	}
	return u.SetPassword(ctx, id, p)
}

// SetRole changes what a person may do. The error is [Invalid], [ErrNotFound],
// or [ErrLastAdmin]: of two admins who make each other members at once, one
// stays. The invitations of a person who is no admin any more are withdrawn.
func (u Users) SetRole(ctx context.Context, id agent.UserID, role Role) error {
	if problem := checkRole(role); problem != "" {
		return Invalid{"role": problem}
	}
	if role == RoleAdmin {
		return u.update(ctx, id, "role", role)
	}
	return u.weaken(ctx, id, "role", role)
}

// SetDisabled lets a person sign in no more, or again. The error is
// [ErrNotFound] or, as with SetRole, [ErrLastAdmin]. The invitations of a
// person who is disabled are withdrawn. Sessions are not its business: whoever
// has one is looked up anew.
func (u Users) SetDisabled(ctx context.Context, id agent.UserID, disabled bool) error {
	if !disabled {
		return u.update(ctx, id, "disabled", false)
	}
	return u.weaken(ctx, id, "disabled", true)
}

func (u Users) update(ctx context.Context, id agent.UserID, column string, value any) error {
	err := u.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Model(&userRow{}).Where("id = ?", id).Update(column, value)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	if err != nil {
		return fmt.Errorf("update user %s: %w", id, err)
	}
	return nil
}

// weaken is update for what takes power from a person.
func (u Users) weaken(ctx context.Context, id agent.UserID, column string, value any) error {
	err := u.db.write(ctx, func(tx *gorm.DB) error {
		var row userRow
		if err := tx.Take(&row, "id = ?", id).Error; err != nil {
			return err
		}
		if row.Role == RoleAdmin && !row.Disabled {
			var others int64
			err := tx.Model(&userRow{}).Where("id <> ? AND role = ? AND disabled = 0", id, RoleAdmin).Count(&others).Error
			if err != nil {
				return err
			}
			if others == 0 {
				return ErrLastAdmin
			}
		}
		if err := tx.Delete(&invitationRow{}, "invited_by = ?", id).Error; err != nil {
			return err
		}
		return tx.Model(&userRow{}).Where("id = ?", id).Update(column, value).Error
	})
	return failed(ctx, "update user "+string(id), err)
}

var _ agent.People = Users{}

// Barred implements [agent.People]. An end user is barred with their host.
func (s Users) Barred(ctx context.Context, id agent.UserID) (bool, error) {
	var enabled int64
	err := s.db.read(ctx).Model(&userRow{}).Where("disabled = 0 AND (id = ? OR id = (SELECT host FROM end_users WHERE id = ?))", id, id).Count(&enabled).Error
	return enabled == 0, failed(ctx, "ask for a person", err)
}

// Role implements [agent.People]. The error is [ErrNotFound] if nobody of the
// id is there.
func (u Users) Role(ctx context.Context, id agent.UserID) (Role, error) {
	row, err := u.take(ctx, "id = ?", id)
	if err == nil {
		return row.Role, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return "", err
	}
	return agent.RoleEndUser, failed(ctx, "ask for a person", u.db.read(ctx).Take(&endUserRow{}, "id = ?", id).Error)
}
