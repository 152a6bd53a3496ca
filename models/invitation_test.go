package models_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/models/modelstest"
)

var lea = models.Invitation{Email: " Lea@example.com", Name: "Lea", Role: models.RoleMember, By: "u_1"}

func invite(t *testing.T, db *models.DB, n models.Invitation) (models.Invitation, models.Secret) {
	t.Helper()
	invited, token, err := db.Invitations().Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return invited, token
}

func accept(t *testing.T, db *models.DB, token models.Secret) error {
	t.Helper()
	_, err := db.Invitations().Accept(t.Context(), token, "Lea", models.NewSecret(password))
	return err
}

func TestInvitations_Accept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := modelstest.OpenConfig(t, models.Config{Dir: dir})
	invited, token := invite(t, db, lea)
	found, err := db.Invitations().Find(t.Context(), token)
	if diff := cmp.Diff(invited, found); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := db.Invitations().Accept(t.Context(), token, "", models.NewSecret("short")); !errors.As(err, new(models.Invalid)) {
		t.Errorf("neither name nor password: got %v, want Invalid", err)
	}
	u, err := db.Invitations().Accept(t.Context(), token, " Lea W ", models.NewSecret(password))
	if err != nil || u.Email != "Lea@example.com" || u.Name != "Lea W" || u.Role != models.RoleMember {
		t.Errorf("got %+v, %v", u, err)
	}
	if got, err := db.Users().Authenticate(t.Context(), "lea@example.com", models.NewSecret(password)); err != nil || got.ID != u.ID {
		t.Errorf("sign in: %v, %v", got, err)
	}
	if err := accept(t, db, token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("a second time: got %v, want ErrNotFound", err)
	}

	// The secret is in no file.
	_, token = invite(t, db, models.Invitation{Email: "x@example.com", Role: models.RoleAdmin})
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err != nil || strings.Contains(string(data), token.Reveal()) {
			t.Errorf("%s holds the secret, or %v", f, err)
		}
	}
}

func TestInvitations_Race(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	_, token := invite(t, db, lea)
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = accept(t, db, token) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, models.ErrNotFound) {
			t.Errorf("got %v, want ErrNotFound", err)
		}
	}
	if list, err := db.Users().List(t.Context()); won != 1 || len(list) != 1 || err != nil {
		t.Errorf("%d won, %d people, %v", won, len(list), err)
	}
}

func TestInvitations_End(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for name, end := range map[string]func(*models.DB, models.Invitation) error{
		"withdrawn": func(db *models.DB, n models.Invitation) error {
			_, err := db.Invitations().Withdraw(t.Context(), n.ID)
			return err
		},
		"sent again": func(db *models.DB, n models.Invitation) error {
			_, _, err := db.Invitations().Create(t.Context(), models.Invitation{Email: "LEA@example.com", Role: models.RoleAdmin})
			return err
		},
		"its admin disabled": func(db *models.DB, n models.Invitation) error {
			return db.Users().SetDisabled(t.Context(), n.By, true)
		},
		"its admin made a member": func(db *models.DB, n models.Invitation) error {
			return db.Users().SetRole(t.Context(), n.By, models.RoleMember)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
			addPerson(t, db, "root@example.com", models.RoleAdmin)
			n := lea
			n.By = addPerson(t, db, "by@example.com", models.RoleAdmin).ID
			invited, token := invite(t, db, n)
			if err := end(db, invited); err != nil {
				t.Fatal(err)
			}
			if err := accept(t, db, token); !errors.Is(err, models.ErrNotFound) {
				t.Errorf("got %v, want ErrNotFound", err)
			}
		})
	}
}

func TestInvitations_Expire(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	_, token := invite(t, db, lea)
	now = now.Add(models.InvitationLasts - 1)
	if list, err := db.Invitations().List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("listed %v, %v", list, err)
	}
	now = now.Add(1)
	if list, err := db.Invitations().List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("listed %v, %v, want none", list, err)
	}
	if err := accept(t, db, token); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestInvitations_Invalid(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	addPerson(t, db, "taken@example.com", models.RoleMember)
	for field, n := range map[string]models.Invitation{
		"email": {Email: "TAKEN@example.com", Role: models.RoleMember},
		"role":  {Email: "a@example.com", Role: "owner"},
		"name":  {Email: "a@example.com", Role: models.RoleMember, Name: "a\nb"},
	} {
		_, _, err := db.Invitations().Create(t.Context(), n)
		var invalid models.Invalid
		if !errors.As(err, &invalid) || invalid[field] == "" {
			t.Errorf("%s: got %v, want Invalid", field, err)
		}
	}
	// Somebody got the address in another way meanwhile.
	_, token := invite(t, db, lea)
	addPerson(t, db, "lea@example.com", models.RoleMember)
	if err := accept(t, db, token); !errors.As(err, new(models.Invalid)) {
		t.Errorf("an address that is taken: got %v, want Invalid", err)
	}
	if _, err := db.Invitations().Withdraw(t.Context(), "v_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}
