package control_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/providers"
)

// The list says where each key is and which are missing, and holds none.
func TestProviders_KeyThatIsMissing(t *testing.T) {
	t.Parallel()
	h, db := newHandler(t, io.Discard)
	want := make(map[string]string)
	for said, c := range map[string]models.Credential{
		"none":                                {Kind: models.CredentialNone},
		"env COUNTERSIGN_TEST_UNSET, missing": {Kind: models.CredentialEnv, Env: "COUNTERSIGN_TEST_UNSET"},
		"sealed":                              {Kind: models.CredentialSealed, Key: models.NewSecret("sk-canary-4711")},
		"memory, missing":                     {Kind: models.CredentialMemory},
		"memory":                              {Kind: models.CredentialMemory, Key: models.NewSecret("sk-canary-4711")},
		"command":                             {Kind: models.CredentialCommand, Command: models.TokenCommand{Argv: []string{"print-token"}}},
	} {
		p := models.Provider{Name: "With " + said, API: providers.APIResponses, BaseURL: "https://api.example/v1"}
		if _, err := db.Providers().Create(t.Context(), p, c); err != nil {
			t.Fatal(err)
		}
		want[p.Name] = said
	}
	list, err := local(t, h).Providers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, p := range list {
		got[p.Name] = p.Key
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
