package models_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

// aSetup is one item of each kind.
func aSetup() models.Setup {
	return models.Setup{
		Providers: []models.ProviderSetup{{
			Name: "Local", API: providers.APIChatCompletions, Credential: ptr(sealed("the-key")),
			Change: func(p *models.Provider) models.Invalid {
				p.BaseURL, p.Models = "https://api.example/v1", []models.ProviderModel{{Name: "m"}}
				return nil
			},
		}},
		Agents: []models.AgentSetup{{
			Name: "Assistant", Model: &models.SetupModel{Provider: "Local", Name: "m"},
			Change: func(a *agent.Agent) { a.Instructions, a.Tools = "Be brief.", []string{"current_time"} },
		}},
		Users: []models.UserSetup{
			{Email: "admin@example.com", Name: "Ada", Role: models.RoleAdmin, Password: models.NewSecret("correct horse battery")},
		},
	}
}

func outcomes(t *testing.T, db *models.DB, s models.Setup) []models.Outcome {
	t.Helper()
	applied, err := db.Apply(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	var list []models.Outcome
	for _, a := range applied {
		list = append(list, a.Outcome)
	}
	return list
}

func wantOutcomes(t *testing.T, what string, got []models.Outcome, want ...models.Outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	wantOutcomes(t, "first", outcomes(t, db, aSetup()), models.Created, models.Created, models.Created)
	before := everything(t, db)
	wantOutcomes(t, "again", outcomes(t, db, aSetup()), models.Unchanged, models.Unchanged, models.Unchanged)
	if diff := cmp.Diff(before, everything(t, db)); diff != "" {
		t.Errorf("applying again changed something: %s", diff)
	}
	if p := before.Providers[0]; before.Agents[0].Model != (agent.ModelRef{Provider: p.ID, ProviderName: "Local", Model: "m"}) {
		t.Errorf("the agent's model is %+v", before.Agents[0].Model)
	}
	if _, err := db.Users().Authenticate(t.Context(), "admin@example.com", models.NewSecret("correct horse battery")); err != nil {
		t.Errorf("sign in: %v", err)
	}
}

type configured struct {
	Providers []models.Provider
	Agents    []agent.Agent
	Users     []models.User
}

func everything(t *testing.T, db *models.DB) configured {
	t.Helper()
	p, err1 := db.Providers().List(t.Context())
	a, err2 := db.Agents().List(t.Context())
	u, err3 := db.Users().List(t.Context())
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	return configured{p, a, u}
}

func TestApply_Changes(t *testing.T) {
	t.Parallel()
	keep := func(*models.Provider) models.Invalid { return nil }
	for _, c := range []struct {
		name   string
		change func(*models.Setup)
		want   []models.Outcome
	}{
		{"what is left out is kept", func(s *models.Setup) {
			s.Providers[0] = models.ProviderSetup{Name: "Local", Change: keep}
			s.Agents[0] = models.AgentSetup{Name: "Assistant", Change: func(*agent.Agent) {}}
			s.Users[0] = models.UserSetup{Email: "ADMIN@example.com"}
		}, []models.Outcome{models.Unchanged, models.Unchanged, models.Unchanged}},
		{"an option", func(s *models.Setup) {
			s.Providers[0].Change = func(p *models.Provider) models.Invalid { p.StreamUsage = ptr(false); return nil }
		}, []models.Outcome{models.Updated, models.Unchanged, models.Unchanged}},
		{"another key", func(s *models.Setup) { s.Providers[0].Credential = ptr(sealed("another-key")) },
			[]models.Outcome{models.Updated, models.Unchanged, models.Unchanged}},
		{"no key", func(s *models.Setup) { s.Providers[0].Credential = &none },
			[]models.Outcome{models.Updated, models.Unchanged, models.Unchanged}},
		{"instructions", func(s *models.Setup) { s.Agents[0].Change = func(a *agent.Agent) { a.Instructions = "Be exact." } },
			[]models.Outcome{models.Unchanged, models.Updated, models.Unchanged}},
		{"a name", func(s *models.Setup) { s.Users[0].Name = "Ada Admin" },
			[]models.Outcome{models.Unchanged, models.Unchanged, models.Updated}},
		{"another password is for newcomers", func(s *models.Setup) { s.Users[0].Password = models.NewSecret("another password") },
			[]models.Outcome{models.Unchanged, models.Unchanged, models.Unchanged}},
		{"one admin for another", func(s *models.Setup) {
			s.Users[0].Role = models.RoleMember
			s.Users = append(s.Users, models.UserSetup{Email: "b@example.com", Name: "B", Role: models.RoleAdmin, Password: models.NewSecret("correct horse battery")})
		}, []models.Outcome{models.Unchanged, models.Unchanged, models.Updated, models.Created}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.Open(t)
			outcomes(t, db, aSetup())
			s := aSetup()
			c.change(&s)
			wantOutcomes(t, "first", outcomes(t, db, s), c.want...)
			for _, o := range outcomes(t, db, s) {
				if o != models.Unchanged {
					t.Errorf("applied again: %s", o)
				}
			}
			if _, err := db.Users().Authenticate(t.Context(), "admin@example.com", models.NewSecret("correct horse battery")); err != nil {
				t.Errorf("the password: %v", err)
			}
		})
	}
}

// One item that can't be applied leaves everything as it was.
func TestApply_Refused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		change  func(*models.Setup)
		section string
		field   string
	}{
		{"another API", func(s *models.Setup) { s.Providers[0].API = providers.APIResponses }, models.SectionProviders, "api"},
		{"no API", func(s *models.Setup) { s.Providers[0].Name, s.Providers[0].API = "New", "" }, models.SectionProviders, "api"},
		{"what the change refuses", func(s *models.Setup) {
			s.Providers[0].Change = func(*models.Provider) models.Invalid { return models.Invalid{"models": "None."} }
		}, models.SectionProviders, "models"},
		{"a key for another host", func(s *models.Setup) {
			s.Providers[0].Credential = nil
			s.Providers[0].Change = func(p *models.Provider) models.Invalid { p.BaseURL = "https://other.example/v1"; return nil }
		}, models.SectionProviders, "key"},
		{"no model", func(s *models.Setup) { s.Agents[0].Name, s.Agents[0].Model = "New", nil }, models.SectionAgents, "model"},
		{"a model that is not listed", func(s *models.Setup) { s.Agents[0].Model.Name = "x" }, models.SectionAgents, "model"},
		{"no such provider", func(s *models.Setup) { s.Agents[0].Model.Provider = "x" }, models.SectionAgents, "model"},
		{"a tool that is no name", func(s *models.Setup) {
			s.Agents[0].Change = func(a *agent.Agent) { a.Tools = []string{"a tool"} }
		}, models.SectionAgents, "tools"},
		{"no password", func(s *models.Setup) { s.Users[0].Email, s.Users[0].Password = "new@example.com", models.Secret{} }, models.SectionUsers, "password"},
		{"no such role", func(s *models.Setup) { s.Users[0].Role = "owner" }, models.SectionUsers, "role"},
		{"the last admin", func(s *models.Setup) { s.Users[0].Role = models.RoleMember }, models.SectionUsers, "role"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := modelstest.Open(t)
			outcomes(t, db, aSetup())
			before := everything(t, db)
			s := aSetup()
			s.Providers[0].Credential = ptr(sealed("another-key"))
			c.change(&s)
			_, err := db.Apply(t.Context(), s)
			var wrong *models.SetupError
			if !errors.As(err, &wrong) || wrong.Section != c.section || wrong.Index != 0 || wrong.Invalid[c.field] == "" {
				t.Fatalf("got %v, want one for %s of the %s", err, c.field, c.section)
			}
			if diff := cmp.Diff(before, everything(t, db)); diff != "" {
				t.Error(diff)
			}
			if key, err := db.Providers().Key(t.Context(), before.Providers[0].ID); err != nil || key.Reveal() != "the-key" {
				t.Errorf("the key has changed: %v", err)
			}
		})
	}
}
