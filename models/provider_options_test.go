package models_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/providers"
)

// messages is a provider with what only Anthropic has.
func messages() models.Provider {
	return models.Provider{
		Name: "Messages", API: providers.APIAnthropic, BaseURL: "https://api.example",
		ProviderOptions: models.ProviderOptions{
			PromptCaching: ptr(false),
			Thinking:      &providers.Thinking{Type: providers.ThinkingEnabled, BudgetTokens: 2048},
			Models: []models.ProviderModel{{
				Name: "c", ContextWindow: 200_000, Images: true, PDF: true, Tools: ptr(true), Reasoning: ptr(false),
				Price: &agent.Price{Input: 3, Output: 15, CacheRead: ptr(0.3), CacheWrite: ptr(3.75)},
			}},
		},
	}
}

// What was chosen survives a restart and a rotation of the key, and stays what
// it is where a change leaves it out (contract R16, R18, P21, P25).
func TestProviders_OptionsLast(t *testing.T) {
	t.Parallel()
	c := models.Config{Dir: t.TempDir()}
	db := modelstest.OpenConfig(t, c)
	local := local()
	local.OutputLimitField = models.OutputLimitMaxCompletionTokens
	var want []models.Provider
	for _, p := range []models.Provider{local, messages()} {
		saved, err := db.Providers().Create(t.Context(), p, sealed("the-key"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p.ProviderOptions, saved.ProviderOptions); diff != "" {
			t.Error(diff)
		}
		want = append(want, saved)
	}
	if _, err := db.RotateKey(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := modelstest.OpenConfig(t, c).Providers()
	for i, p := range want {
		changed, err := s.Update(t.Context(), p.ID, models.ProviderUpdate{Credential: ptr(sealed("another-key"))})
		if err != nil {
			t.Fatal(err)
		}
		want[i].UpdatedAt = changed.UpdatedAt
	}
	got, err := s.List(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestProviders_UpdateOptions(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	want, err := s.Create(t.Context(), messages(), none)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		update models.ProviderUpdate
		change func(*models.Provider)
	}{
		{"nothing", models.ProviderUpdate{}, func(*models.Provider) {}},
		{"caching on again", models.ProviderUpdate{PromptCaching: ptr(true)}, func(p *models.Provider) { p.PromptCaching = ptr(true) }},
		{"another way to think", models.ProviderUpdate{Thinking: &providers.Thinking{Type: providers.ThinkingAdaptive}},
			func(p *models.Provider) { p.Thinking = &providers.Thinking{Type: providers.ThinkingAdaptive} }},
		{"something else", models.ProviderUpdate{MaxOutputTokens: ptr(7)}, func(p *models.Provider) { p.MaxOutputTokens = 7 }},
		{"thinking left to the model", models.ProviderUpdate{Thinking: &providers.Thinking{}}, func(p *models.Provider) { p.Thinking = nil }},
	} {
		c.change(&want)
		got, err := s.Update(t.Context(), want.ID, c.update)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(want.ProviderOptions, got.ProviderOptions); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	chat, err := s.Create(t.Context(), local(), none)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{models.OutputLimitMaxTokens, ""} {
		got, err := s.Update(t.Context(), chat.ID, models.ProviderUpdate{OutputLimitField: &field})
		if err != nil || got.OutputLimitField != field {
			t.Errorf("got %q, %v, want %q", got.OutputLimitField, err, field)
		}
	}
}

// Each option belongs to its API, and each number has its bounds (contract
// R8, P21, P25).
func TestProviders_InvalidOptions(t *testing.T) {
	t.Parallel()
	s := modelstest.Open(t).Providers()
	thinking := func(kind providers.ThinkingType, budget int) func(*models.Provider) {
		return func(p *models.Provider) { p.Thinking = &providers.Thinking{Type: kind, BudgetTokens: budget} }
	}
	price := func(change func(*agent.Price)) func(*models.Provider) {
		return func(p *models.Provider) { change(p.Models[0].Price) }
	}
	for _, c := range []struct {
		field  string
		change func(*models.Provider)
	}{
		{"stream_usage", func(p *models.Provider) { p.StreamUsage = ptr(true) }},
		{"output_limit_field", func(p *models.Provider) { p.OutputLimitField = models.OutputLimitMaxTokens }},
		{"thinking", func(p *models.Provider) { p.API, p.PromptCaching = providers.APIResponses, nil }},
		{"prompt_caching", func(p *models.Provider) { p.API, p.Thinking = providers.APIResponses, nil }},
		{"thinking", thinking(providers.ThinkingEnabled, 0)},
		{"thinking", thinking(providers.ThinkingEnabled, 1023)},
		{"thinking", thinking(providers.ThinkingEnabled, 1<<20+1)},
		{"thinking", thinking(providers.ThinkingAdaptive, 2048)},
		{"thinking", thinking(providers.ThinkingDisabled, 2048)},
		{"thinking", thinking("deep", 0)},
		{"models", price(func(p *agent.Price) { p.Input = -1 })},
		{"models", price(func(p *agent.Price) { p.Output = math.NaN() })},
		{"models", price(func(p *agent.Price) { p.CacheRead = ptr(math.Inf(1)) })},
		{"models", price(func(p *agent.Price) { p.CacheWrite = ptr(100_000.5) })},
	} {
		p := messages()
		c.change(&p)
		_, err := s.Create(t.Context(), p, none)
		var invalid models.Invalid
		if !errors.As(err, &invalid) || len(invalid) != 1 || invalid[c.field] == "" {
			t.Errorf("%+v: got %v, want %s", p.ProviderOptions, err, c.field)
		}
	}
	p := messages()
	p.Thinking.BudgetTokens = providers.MinThinkingBudget
	if _, err := s.Create(t.Context(), p, none); err != nil {
		t.Errorf("the smallest budget: %v", err)
	}
}
