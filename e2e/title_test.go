package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
)

// TestTitlesAreCutBetweenCharacters is the case ui-title-cut-inside-character.
func TestTitlesAreCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	var input struct {
		First []string `json:"first_messages"`
	}
	readCase(t, "ui-title-cut-inside-character", &input)
	script := strings.TrimSuffix(strings.Repeat("text \"Yes.\"\nfinish stop\n---\n", len(input.First)), "---\n")
	c := newChat(t, script)
	for i, text := range input.First {
		c.visit("/", http.StatusOK)
		c.start(text)
		c.awaitStatus(isReady)
		title, err := c.Locator("#bar-title").TextContent()
		c.must(err)
		row, err := c.Locator("#conversations [aria-current=page] .nav__text").TextContent()
		c.must(err)
		if title != row {
			t.Errorf("message %d: the page says %q, the list %q", i+1, title, row)
		}
		whole := strings.TrimSuffix(title, "…")
		if utf8.RuneCountInString(title) > 80 || whole == "" || strings.ContainsAny(title, "\x00\x1b\ufffd") || strings.HasSuffix(whole, "\u200d") {
			t.Errorf("message %d has the title %q", i+1, title)
		}
		if i < 3 && !strings.HasPrefix(strings.TrimSpace(text), whole) {
			t.Errorf("message %d: the title %q is not how it begins", i+1, title)
		}
		shown, err := c.Locator(".slip .prose").InnerText()
		c.must(err)
		if i < 3 && strings.TrimSpace(shown) != strings.TrimSpace(text) {
			t.Errorf("message %d is shown as %q", i+1, shown)
		}
		if i == 3 {
			for _, word := range []string{"nul", "inside", "title"} {
				if !strings.Contains(shown, word) || !strings.Contains(title, word) {
					t.Errorf("message %d lacks %s: %q, title %q", i+1, word, shown, title)
				}
			}
		}
	}
	for i, request := range c.model.Requests() {
		want := []providers.Message{providers.UserMessage{Text: input.First[i]}}
		if diff := cmp.Diff(want, request.Messages); diff != "" {
			t.Errorf("message %d on its way to the model (-want +got):\n%s", i+1, diff)
		}
	}
}
