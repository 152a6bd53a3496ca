package control_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/models"
	"countersign/providers"
	"countersign/web/control"
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

// A file that takes the model of the default agent away gives it another one,
// and says so.
func TestApply_AgentThatNeedsAnotherModel(t *testing.T) {
	t.Parallel()
	h, db := newHandler(t, io.Discard)
	c := local(t, h)
	const begin = `
providers:
  - {name: Local, api: chat-completions, base_url: "http://127.0.0.1:9/v1", allow_private_network: true, credentials: none, models: [{name: `
	const agents = `
agents:
  - {name: Helper, instructions: Help., model: {provider: Local, name: a}}
`
	for _, step := range []struct {
		file string
		want []control.Applied
	}{
		{begin + "a}]}" + agents, []control.Applied{{Section: "providers", Name: "Local", Outcome: "created"}, {Section: "agents", Name: "Helper", Outcome: "created"}}},
		{begin + "b}]}\n", []control.Applied{{Section: "providers", Name: "Local", Outcome: "updated"}, {Section: "agents", Name: "Helper", Outcome: "updated"}}},
		{begin + "b}]}\n", []control.Applied{{Section: "providers", Name: "Local", Outcome: "unchanged"}}},
	} {
		got, err := c.Apply(t.Context(), step.file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	list, err := db.Agents().List(t.Context())
	if err != nil || len(list) != 1 || list[0].Model.Model != "b" {
		t.Errorf("the agents are %+v, %v", list, err)
	}
}

// A test is told as data as well: the step that failed, and all that a
// diagnostic holds.
func TestProviders_TestAsData(t *testing.T) {
	t.Parallel()
	h, db := newHandler(t, io.Discard)
	_, err := db.Providers().Create(t.Context(), models.Provider{
		Name: "Local", API: providers.APIChatCompletions, BaseURL: "http://127.0.0.1:9/v1",
		ProviderOptions: models.ProviderOptions{Models: []models.ProviderModel{{Name: "m"}}},
	}, models.Credential{Kind: models.CredentialNone})
	if err != nil {
		t.Fatal(err)
	}
	got, err := local(t, h).TestProvider(t.Context(), "Local")
	if err != nil {
		t.Fatal(err)
	}
	want := &control.ProviderError{Category: "configuration", API: "chat-completions", Code: "unsupported_api"}
	if diff := cmp.Diff(want, got.Error); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.OK || got.Title != "Local can’t be used with this version" || len(got.Steps) == 0 {
		t.Errorf("got %+v", got)
	}
}
