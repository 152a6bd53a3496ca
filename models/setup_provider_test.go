package models_test

import (
	"errors"
	"testing"

	"countersign/models"
	"countersign/models/modelstest"
)

// A setup says that a key is in memory or in the keychain; it gives none.
func TestApply_KeysOfPeople(t *testing.T) {
	t.Parallel()
	for _, kind := range []models.CredentialKind{models.CredentialMemory, models.CredentialKeychain} {
		k := newKeychain()
		db := modelstest.OpenConfig(t, models.Config{Keychain: k})
		setup := func(c models.Credential) models.Setup {
			s := aSetup()
			s.Providers[0].Credential = &c
			return models.Setup{Providers: s.Providers}
		}
		_, err := db.Apply(t.Context(), setup(models.Credential{Kind: kind, Key: models.NewSecret("the-key")}))
		var wrong *models.SetupError
		if !errors.As(err, &wrong) || wrong.Invalid["credential"] == "" {
			t.Errorf("%s with a key: got %v, want a SetupError", kind, err)
		}
		wantOutcomes(t, "without", outcomes(t, db, setup(models.Credential{Kind: kind})), models.Created)
		list, err := db.Providers().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id := list[0].ID
		if _, err := db.Providers().Key(t.Context(), id); !errors.Is(err, models.ErrKeyNeeded) {
			t.Errorf("%s: got %v, want ErrKeyNeeded", kind, err)
		}
		entered := models.Credential{Kind: kind, Key: models.NewSecret("the-key")}
		if _, err := db.Providers().Update(t.Context(), id, models.ProviderUpdate{Credential: &entered}); err != nil {
			t.Fatal(err)
		}
		wantOutcomes(t, "again", outcomes(t, db, setup(models.Credential{Kind: kind})), models.Unchanged)
		if key, err := db.Providers().Key(t.Context(), id); err != nil || key.Reveal() != "the-key" {
			t.Errorf("%s: the key is %q, %v", kind, key.Reveal(), err)
		}
		// Another way to keep the key forgets this one.
		wantOutcomes(t, "none", outcomes(t, db, setup(none)), models.Updated)
		k.wantItems(t, string(kind))
		wantOutcomes(t, "back", outcomes(t, db, setup(models.Credential{Kind: kind})), models.Updated)
		if key, err := db.Providers().Key(t.Context(), id); !errors.Is(err, models.ErrKeyNeeded) {
			t.Errorf("%s, after all: the key is %q, %v, want ErrKeyNeeded", kind, key.Reveal(), err)
		}
	}
}
