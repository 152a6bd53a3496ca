package models

import (
	"context"
	"errors"
)

// newcomers returns the rows of the people who are not there yet.
func (db *DB) newcomers(ctx context.Context, list []UserSetup) (map[string]userRow, error) {
	rows := make(map[string]userRow)
	for i, s := range list {
		_, err := db.Users().take(ctx, "email_key = ?", emailKey(s.Email))
		switch {
		case !errors.Is(err, ErrNotFound):
		case s.Password.Empty():
			err = Invalid{"password": "A new person needs a password."}
		default:
			rows[emailKey(s.Email)], err = db.Users().row(ctx, NewUser(s))
		}
		if err != nil {
			return nil, itemFailed(SectionUsers, i, err)
		}
	}
	return rows, nil
}

func (a *applying) user(i int, s UserSetup) (Outcome, error) {
	row, there, err := take[userRow](a.tx, "email_key = ?", emailKey(s.Email))
	if err != nil {
		return "", err
	}
	if !there {
		row = a.newcomers[emailKey(s.Email)]
		return Created, a.tx.Create(&row).Error
	}
	now := row
	set(&now.Name, given(s.Name))
	set(&now.Role, given(s.Role))
	v := Invalid{}
	v.check("name", checkName(now.Name))
	v.check("role", checkRole(now.Role))
	switch {
	case len(v) > 0:
		return "", v
	case now == row:
		return Unchanged, nil
	case row.Role == RoleAdmin && now.Role != RoleAdmin:
		a.weakened = append(a.weakened, i)
		if err := a.tx.Delete(&invitationRow{}, "invited_by = ?", row.ID).Error; err != nil {
			return "", err
		}
	}
	return Updated, a.tx.Model(&userRow{}).Where("id = ?", row.ID).Select("name", "role").Updates(now).Error
}

// given is nil for what was left out.
func given[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// anAdminIsLeft looks once everybody has their role, so that the order of the
// items does not matter.
func (a *applying) anAdminIsLeft() error {
	if len(a.weakened) == 0 {
		return nil
	}
	var left int64
	err := a.tx.Model(&userRow{}).Where("role = ? AND NOT disabled", RoleAdmin).Count(&left).Error
	if err == nil && left == 0 {
		return &SetupError{SectionUsers, a.weakened[0], Invalid{"role": "This is the last admin who may sign in."}}
	}
	return err
}
