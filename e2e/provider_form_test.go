package e2e_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"
)

// The form shows the fields of the chosen API and of the chosen way to keep a
// key, and no others, also without scripts.
func TestProviderFormShowsWhatApplies(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url, noScript)
	setUp(t, s, p)
	p.visit("/settings/providers/new?preset=custom", http.StatusOK)
	fields := []string{"API key", "Variable name", "Ask for usage while streaming", "Prompt caching", "Thinking", "Thinking budget"}
	for _, step := range []struct {
		api, credential, thinking string
		shown                     []string
	}{
		{"chat-completions", "Sealed on this server", "", []string{"API key", "Ask for usage while streaming"}},
		{"responses", "Environment variable", "", []string{"Variable name"}},
		{"anthropic", "Memory only", "adaptive", []string{"API key", "Prompt caching", "Thinking"}},
		{"anthropic", "None", "enabled", []string{"Prompt caching", "Thinking", "Thinking budget"}},
	} {
		choose := func(label, value string) {
			t.Helper()
			_, err := p.GetByLabel(label, playwright.PageGetByLabelOptions{Exact: playwright.Bool(true)}).
				SelectOption(playwright.SelectOptionValues{Values: &[]string{value}})
			p.must(err)
		}
		choose("API format", step.api)
		p.must(p.GetByRole("radio", playwright.PageGetByRoleOptions{Name: step.credential}).Check())
		if step.api == "anthropic" {
			choose("Thinking", step.thinking)
		}
		var shown []string
		for _, f := range fields {
			visible, err := p.Locator("label").Filter(playwright.LocatorFilterOptions{HasText: f}).First().IsVisible()
			p.must(err)
			if visible {
				shown = append(shown, f)
			}
		}
		if diff := cmp.Diff(step.shown, shown); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", step.api, step.credential, diff)
		}
	}
}

// Whoever fills in the form with a keyboard sees what they are at: nothing that
// has the focus is under the buttons that stay at the foot.
func TestProviderFormByKeyboard(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)
	p.visit("/settings/providers/new?preset=anthropic", http.StatusOK)
	p.must(p.Locator("#field-name").Focus())
	for range 60 {
		at, err := p.Evaluate(`() => {
			const it = document.activeElement, foot = document.querySelector(".acts--foot");
			if (foot.contains(it)) return it.textContent.trim();
			return it.getBoundingClientRect().bottom > foot.getBoundingClientRect().top + 1 ? "under: " + it.outerHTML : "";
		}`)
		p.must(err)
		if at == "Save" {
			return
		}
		if at != "" {
			t.Fatalf("the focus is at %s", at)
		}
		p.must(p.Keyboard().Press("Tab"))
	}
	t.Error("the keyboard does not lead to the button that saves")
}
