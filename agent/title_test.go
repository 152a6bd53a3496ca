package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTitleFrom(t *testing.T) {
	t.Parallel()
	family := "\U0001f468\u200d\U0001f469\u200d\U0001f467"
	tests := []struct{ name, text, want string }{
		{"short", "Buy milk", "Buy milk"},
		{"first line", "  Buy   milk \n\nand bread", "Buy milk"},
		{"words", strings.Repeat("word ", 20), strings.TrimSpace(strings.Repeat("word ", 16)) + "…"},
		{"as long as may be", strings.Repeat("你", 80), strings.Repeat("你", 80)},
		{"one long word", strings.Repeat("你", 81), strings.Repeat("你", 79) + "…"},
		{"family at the end", strings.Repeat("a", 77) + family + family, strings.Repeat("a", 77) + "…"},
		{"accent", strings.Repeat("a", 78) + "e\u0301e", strings.Repeat("a", 78) + "…"},
		{"skin tone", strings.Repeat("a", 78) + "\U0001f44d\U0001f3fd!", strings.Repeat("a", 78) + "…"},
		{"flags", strings.Repeat("\U0001f1eb\U0001f1f7", 50), strings.Repeat("\U0001f1eb\U0001f1f7", 39) + "…"},
		{"a short word first", "a " + strings.Repeat("b", 100), "a " + strings.Repeat("b", 77) + "…"},
		{"controls", "nul\x00inside \x1b[31m title", "nul inside [31m title"},
		{"nothing to see", "\x00\x01", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := titleFrom(tt.text)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if n := utf8.RuneCountInString(got); n > MaxTitle || !utf8.ValidString(got) {
				t.Errorf("%q: %d characters, or not UTF-8", got, n)
			}
		})
	}
}
