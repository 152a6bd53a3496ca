package models_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/models/modelstest"
)

const password = "correct horse"

var ada = models.NewUser{Email: "Ada@Example.com", Name: "Ada", Role: models.RoleMember, Password: models.NewSecret(password)}

func TestUsers_Create(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	users := db.Users()
	if found, err := users.Any(t.Context()); err != nil || found {
		t.Errorf("any: %v, %v", found, err)
	}
	got, err := users.Create(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	want := models.User{ID: got.ID, Email: "Ada@Example.com", Name: "Ada", Role: models.RoleMember, CreatedAt: now}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(string(got.ID), "u_") {
		t.Errorf("id %s: %s", got.ID, diff)
	}
	stored, err := users.Get(t.Context(), got.ID)
	if diff := cmp.Diff(got, stored); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if list, err := users.List(t.Context()); err != nil || len(list) != 1 || list[0] != got {
		t.Errorf("list: %v, %v", list, err)
	}
	if found, err := users.Any(t.Context()); err != nil || !found {
		t.Errorf("any: %v, %v", found, err)
	}
	if _, err := users.Get(t.Context(), "u_none"); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	again := ada
	again.Email = " ada@EXAMPLE.com "
	var invalid models.Invalid
	if _, err := users.Create(t.Context(), again); !errors.As(err, &invalid) || invalid["email"] == "" {
		t.Errorf("the same email in other letters: got %v", err)
	}
}

func TestUsers_Invalid(t *testing.T) {
	t.Parallel()
	users := modelstest.Open(t).Users()
	for _, c := range []struct {
		field  string
		change func(*models.NewUser)
	}{
		{"email", func(n *models.NewUser) { n.Email = "" }},
		{"email", func(n *models.NewUser) { n.Email = "ada" }},
		{"email", func(n *models.NewUser) { n.Email = "Ada <ada@example.com>" }},
		{"email", func(n *models.NewUser) { n.Email = "a@b\r\nBcc: c@d" }},
		{"email", func(n *models.NewUser) { n.Email = strings.Repeat("a", 260) + "@example.com" }},
		{"name", func(n *models.NewUser) { n.Name = "  " }},
		{"name", func(n *models.NewUser) { n.Name = strings.Repeat("é", 101) }},
		{"name", func(n *models.NewUser) { n.Name = "Ada\x1b[31m" }},
		{"name", func(n *models.NewUser) { n.Name = "Ada\xff" }},
		{"role", func(n *models.NewUser) { n.Role = "emperor" }},
		{"password", func(n *models.NewUser) { n.Password = models.Secret{} }},
		{"password", func(n *models.NewUser) { n.Password = models.NewSecret("elevenchars") }},
		{"password", func(n *models.NewUser) { n.Password = models.NewSecret("ééééééééééé") }}, // 11, in 22 bytes
		{"password", func(n *models.NewUser) { n.Password = models.NewSecret(strings.Repeat("x", 1025)) }},
	} {
		n := ada
		c.change(&n)
		_, err := users.Create(t.Context(), n)
		var invalid models.Invalid
		if !errors.As(err, &invalid) || len(invalid) != 1 || invalid[c.field] == "" {
			t.Errorf("%+v: got %v, want %s", n, err, c.field)
		}
	}
	for _, good := range []string{"twelve chars", "éééééééééééé", strings.Repeat("x", 1024)} {
		n := ada
		n.Email = fmt.Sprintf("%d@example.com", len(good))
		n.Password = models.NewSecret(good)
		if _, err := users.Create(t.Context(), n); err != nil {
			t.Errorf("a password of %d bytes: %v", len(good), err)
		}
		if _, err := users.Authenticate(t.Context(), n.Email, n.Password); err != nil {
			t.Errorf("sign in with %d bytes: %v", len(good), err)
		}
	}
}

func TestUsers_CreateFirstAdmin(t *testing.T) {
	t.Parallel()
	users := modelstest.Open(t).Users()
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			n := ada
			n.Email = fmt.Sprintf("%d@example.com", i)
			_, errs[i] = users.CreateFirstAdmin(t.Context(), n)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, models.ErrNotFirst) {
			t.Errorf("got %v, want ErrNotFirst", err)
		}
	}
	list, err := users.List(t.Context())
	if err != nil || won != 1 || len(list) != 1 || list[0].Role != models.RoleAdmin {
		t.Errorf("%d won, stored %v, %v", won, list, err)
	}
}

func TestUsers_Authenticate(t *testing.T) {
	t.Parallel()
	users := modelstest.Open(t).Users()
	u, err := users.Create(t.Context(), ada)
	if err != nil {
		t.Fatal(err)
	}
	check := func(email, password string, want error) {
		t.Helper()
		got, err := users.Authenticate(t.Context(), email, models.NewSecret(password))
		if !errors.Is(err, want) || (err == nil) != (want == nil) || err == nil && got.ID != u.ID {
			t.Errorf("%s: got %v, %v, want %v", email, got.ID, err, want)
		}
	}
	check(" aDa@example.com", password, nil)
	check("ada@example.com", password+" ", models.ErrCredentials)
	check("ada@example.com", "", models.ErrCredentials)
	check("ada@example.com", strings.Repeat("x", 1<<20), models.ErrCredentials)
	check("nobody@example.com", password, models.ErrCredentials)
	check("", "", models.ErrCredentials)

	if err := users.SetPassword(t.Context(), u.ID, models.NewSecret("battery staple")); err != nil {
		t.Fatal(err)
	}
	check("ada@example.com", password, models.ErrCredentials)
	check("ada@example.com", "battery staple", nil)
	if err := users.SetPassword(t.Context(), u.ID, models.NewSecret("short")); !errors.As(err, new(models.Invalid)) {
		t.Errorf("a short password: got %v", err)
	}

	if err := users.SetDisabled(t.Context(), u.ID, true); err != nil {
		t.Fatal(err)
	}
	check("ada@example.com", "battery staple", models.ErrDisabled)
	check("ada@example.com", password, models.ErrCredentials)
	if err := users.SetDisabled(t.Context(), u.ID, false); err != nil {
		t.Fatal(err)
	}
	check("ada@example.com", "battery staple", nil)
	if err := users.SetDisabled(t.Context(), "u_none", true); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("disable nobody: got %v, want ErrNotFound", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := users.Authenticate(ctx, "ada@example.com", models.NewSecret(password)); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: got %v", err)
	}
}
