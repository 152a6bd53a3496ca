package models_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
)

// addPerson creates somebody with the password of these tests.
func addPerson(t *testing.T, db *models.DB, email string, role models.Role) models.User {
	t.Helper()
	u, err := db.Users().Create(t.Context(), models.NewUser{Email: email, Name: "Somebody", Role: role, Password: models.NewSecret(password)})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUsers_SetName(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	u := addPerson(t, db, "a@example.com", models.RoleMember)
	if err := db.Users().SetName(t.Context(), u.ID, "  Ines Okafor "); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", " ", "a\nb", strings.Repeat("x", 101)} {
		if err := db.Users().SetName(t.Context(), u.ID, bad); !errors.As(err, new(models.Invalid)) {
			t.Errorf("%q: got %v, want Invalid", bad, err)
		}
	}
	if err := db.Users().SetName(t.Context(), "u_none", "X"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("nobody: got %v, want ErrNotFound", err)
	}
	if got, err := db.Users().Get(t.Context(), u.ID); err != nil || got.Name != "Ines Okafor" {
		t.Errorf("got %q, %v", got.Name, err)
	}
}

func TestUsers_ChangePassword(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	u := addPerson(t, db, "a@example.com", models.RoleMember)
	change := func(current, next string) error {
		return db.Users().ChangePassword(t.Context(), u.ID, models.NewSecret(current), models.NewSecret(next))
	}
	for _, wrong := range []string{"", "x", password + " ", strings.Repeat("x", 1<<20)} {
		if err := change(wrong, "battery staple"); !errors.Is(err, models.ErrCredentials) {
			t.Errorf("a wrong password: got %v, want ErrCredentials", err)
		}
	}
	if err := change(password, "short"); !errors.As(err, new(models.Invalid)) {
		t.Errorf("a short password: got %v, want Invalid", err)
	}
	if err := change(password, "battery staple"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Users().Authenticate(t.Context(), u.Email, models.NewSecret("battery staple")); err != nil {
		t.Errorf("the new password: %v", err)
	}
}

// weakenings take the power of an admin away.
var weakenings = map[string]func(*testing.T, models.Users, models.User) error{
	"disable": func(t *testing.T, s models.Users, u models.User) error { return s.SetDisabled(t.Context(), u.ID, true) },
	"demote": func(t *testing.T, s models.Users, u models.User) error {
		return s.SetRole(t.Context(), u.ID, models.RoleMember)
	},
}

func TestUsers_LastAdmin(t *testing.T) {
	t.Parallel()
	for name, weaken := range weakenings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.Open(t)
			last := addPerson(t, db, "a@example.com", models.RoleAdmin)
			gone := addPerson(t, db, "b@example.com", models.RoleAdmin)
			addPerson(t, db, "c@example.com", models.RoleMember)
			if err := db.Users().SetDisabled(t.Context(), gone.ID, true); err != nil {
				t.Fatal(err)
			}
			if err := weaken(t, db.Users(), last); !errors.Is(err, models.ErrLastAdmin) {
				t.Errorf("got %v, want ErrLastAdmin", err)
			}
			if got, err := db.Users().Get(t.Context(), last.ID); err != nil || got.Disabled || got.Role != models.RoleAdmin {
				t.Errorf("got %+v, %v", got, err)
			}
			// One who is disabled can be weakened further, and a second one
			// makes room.
			if err := weaken(t, db.Users(), gone); err != nil {
				t.Error(err)
			}
			addPerson(t, db, "d@example.com", models.RoleAdmin)
			if err := weaken(t, db.Users(), last); err != nil {
				t.Error(err)
			}
		})
	}
}

// Admins who all do it to each other at once leave one.
func TestUsers_LastAdminRace(t *testing.T) {
	t.Parallel()
	for name, weaken := range weakenings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.Open(t)
			list := make([]models.User, 5)
			for i := range list {
				list[i] = addPerson(t, db, fmt.Sprintf("%d@example.com", i), models.RoleAdmin)
			}
			var wg sync.WaitGroup
			errs := make([]error, len(list))
			for i := range list {
				wg.Go(func() { errs[i] = weaken(t, db.Users(), list[i]) })
			}
			wg.Wait()
			refused := 0
			for _, err := range errs {
				if errors.Is(err, models.ErrLastAdmin) {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			}
			if refused != 1 {
				t.Errorf("%d were refused, want 1", refused)
			}
		})
	}
}

func TestUsers_SetRole(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	u := addPerson(t, db, "a@example.com", models.RoleMember)
	if err := db.Users().SetRole(t.Context(), u.ID, "owner"); !errors.As(err, new(models.Invalid)) {
		t.Errorf("a role that is none: got %v, want Invalid", err)
	}
	for _, role := range []models.Role{models.RoleAdmin, models.RoleMember} {
		if err := db.Users().SetRole(t.Context(), "u_none", role); !errors.Is(err, models.ErrNotFound) {
			t.Errorf("nobody as %s: got %v, want ErrNotFound", role, err)
		}
	}
	if err := db.Users().SetRole(t.Context(), u.ID, models.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Users().Get(t.Context(), u.ID); err != nil || got.Role != models.RoleAdmin {
		t.Errorf("got %+v, %v", got, err)
	}
}
