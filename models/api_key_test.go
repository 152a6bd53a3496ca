package models_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

func person(t *testing.T, db *models.DB, name string, role models.Role) agent.UserID {
	t.Helper()
	u, err := db.Users().Create(t.Context(), models.NewUser{
		Email: name + "@example.com", Name: name, Role: role, Password: models.NewSecret(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	return u.ID
}

func TestAPIKeys_TokenIsShownOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := modelstest.OpenConfig(t, models.Config{Dir: dir})
	ada := person(t, db, "ada", models.RoleMember)
	created, token, err := db.APIKeys().Create(t.Context(), models.APIKey{
		User: ada, By: ada, Name: " Intake form ", Scopes: []models.Scope{models.ScopeRun, models.ScopeRead, models.ScopeRun},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^cba_[A-Za-z0-9_-]{43}$`).MatchString(token.Reveal()) {
		t.Error("the token is not cba_ and 256 bits")
	}
	if diff := cmp.Diff([]models.Scope{models.ScopeRead, models.ScopeRun}, created.Scopes); diff != "" || created.Name != "Intake form" {
		t.Errorf("name %q (-want +got):\n%s", created.Name, diff)
	}
	list, err := db.APIKeys().List(t.Context(), ada)
	if diff := cmp.Diff([]models.APIKey{created}, list); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the data directory: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(token.Reveal()[len(created.Prefix):])) {
			t.Errorf("%s holds the token", f)
		}
	}
}

func TestAPIKeys_Use(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	boss := person(t, db, "boss", models.RoleAdmin)
	ada := person(t, db, "ada", models.RoleAdmin)
	key, token, err := db.APIKeys().Create(t.Context(), models.APIKey{
		User: ada, By: boss, Name: "Robot", Scopes: models.Scopes, ExpiresAt: now.Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	use := func() (models.APIKey, error) {
		t.Helper()
		k, u, err := db.APIKeys().Use(t.Context(), token)
		if err == nil && u.ID != ada {
			t.Errorf("it is a key of %s, want %s", u.ID, ada)
		}
		checked, _, errChecked := db.APIKeys().Check(t.Context(), key.ID)
		if errors.Is(err, models.ErrNotFound) != errors.Is(errChecked, models.ErrNotFound) || len(k.Scopes) != len(checked.Scopes) {
			t.Errorf("Use says %v, Check says %v", err, errChecked)
		}
		return k, err
	}
	got, err := use()
	if err != nil || !got.UsedAt.Equal(now) || !got.May(models.ScopeAdmin) {
		t.Errorf("got %+v, %v", got, err)
	}
	if list, err := db.APIKeys().List(t.Context(), ""); err != nil || len(list) != 1 || !list[0].UsedAt.Equal(now) {
		t.Errorf("got %+v, %v; the use was not noted", list, err)
	}
	if _, _, err := db.APIKeys().Use(t.Context(), models.NewSecret(token.Reveal()+"x")); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("another token: got %v", err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(db.Users().SetRole(t.Context(), ada, models.RoleMember))
	if got, err := use(); err != nil || got.May(models.ScopeAdmin) || !got.May(models.ScopeDecide) {
		t.Errorf("of a member: got %+v, %v", got, err)
	}
	must(db.Users().SetDisabled(t.Context(), ada, true))
	if _, err := use(); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("of a disabled person: got %v", err)
	}
	must(db.Users().SetDisabled(t.Context(), ada, false))
	now = now.Add(time.Hour)
	if _, err := use(); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("after its time: got %v", err)
	}
	now = now.Add(-time.Minute)
	if _, err := db.APIKeys().Revoke(t.Context(), key.ID, boss); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("somebody else's: got %v", err)
	}
	_, err = db.APIKeys().Revoke(t.Context(), key.ID, "")
	must(err)
	if _, err := use(); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("after its end: got %v", err)
	}
}

func TestAPIKeys_Refused(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	ada := person(t, db, "ada", models.RoleMember)
	read := []models.Scope{models.ScopeRead}
	for field, n := range map[string]models.APIKey{
		"name":    {User: ada, Scopes: read},
		"scopes":  {User: ada, Name: "x"},
		"expires": {User: ada, Name: "x", Scopes: read, ExpiresAt: time.Now().Add(-time.Minute)},
	} {
		_, _, err := db.APIKeys().Create(t.Context(), n)
		var invalid models.Invalid
		if !errors.As(err, &invalid) || len(invalid) != 1 || invalid[field] == "" {
			t.Errorf("%s: got %v", field, err)
		}
	}
	for name, scopes := range map[string][]models.Scope{"unknown": {"read", "write"}, "a member's": {models.ScopeAdmin}} {
		_, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: ada, Name: "x", Scopes: scopes})
		if invalid := (models.Invalid{}); !errors.As(err, &invalid) || invalid["scopes"] == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: "u_none", Name: "x", Scopes: read}); !errors.Is(err, models.ErrNotFound) {
		t.Errorf("nobody's: got %v", err)
	}
	for range models.MaxKeys {
		if _, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: ada, Name: "x", Scopes: read}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := db.APIKeys().Create(t.Context(), models.APIKey{User: ada, Name: "x", Scopes: read}); !errors.As(err, new(models.Invalid)) {
		t.Errorf("one too many: got %v", err)
	}
}

func TestAPIAnswers(t *testing.T) {
	t.Parallel()
	now := time.Now()
	db := modelstest.OpenConfig(t, models.Config{Now: func() time.Time { return now }})
	request, first := []byte("r"), models.APIAnswer{Fingerprint: []byte("f"), Status: 202, Body: []byte("{}")}
	for _, a := range []models.APIAnswer{first, {Fingerprint: []byte("g"), Status: 200, Body: []byte("x")}} {
		if err := db.APIAnswers().Put(t.Context(), request, a); err != nil {
			t.Fatal(err)
		}
	}
	got, ok, err := db.APIAnswers().Find(t.Context(), request)
	if diff := cmp.Diff(first, got); diff != "" || !ok || err != nil {
		t.Errorf("%v, %v (-want +got):\n%s", ok, err, diff)
	}
	now = now.Add(models.AnswersLast)
	if _, ok, err := db.APIAnswers().Find(t.Context(), request); ok || err != nil {
		t.Errorf("a day later: %v, %v", ok, err)
	}
	if err := db.APIAnswers().Put(t.Context(), request, first); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := db.APIAnswers().Find(t.Context(), request); !ok || err != nil {
		t.Errorf("stored anew: %v, %v", ok, err)
	}
}
