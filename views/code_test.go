package views

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classed writes parts as text, with the class of those that have one.
func classed(parts []codePart) string {
	var b strings.Builder
	for _, p := range parts {
		if p.class == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString("⟨" + p.class + " " + p.text + "⟩")
		}
	}
	return b.String()
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, language, code, want string }{
		{"braces", "Go", "func f2() { return \"a\\\"b\" } // c\nx := `\n`", "⟨hk func⟩ f2() { ⟨hk return⟩ ⟨hs \"a\\\"b\"⟩ } ⟨hc // c⟩\nx := ⟨hs `\n`⟩"},
		{"block comment", "js", "a /* b\nc */ 12", "a ⟨hc /* b\nc */⟩ ⟨hn 12⟩"},
		{"open comment", "c", "/* a", "⟨hc /* a⟩"},
		{"hashes", "python", "if x: # y\n  'z'", "⟨hk if⟩ x: ⟨hc # y⟩\n  ⟨hs 'z'⟩"},
		{"dashes", "sql", "SELECT 1 -- x\nfrom t", "⟨hk SELECT⟩ ⟨hn 1⟩ ⟨hc -- x⟩\n⟨hk from⟩ t"},
		{"values", "json", `{"a": [true, 1]}`, `{⟨hs "a"⟩: [⟨hk true⟩, ⟨hn 1⟩]}`},
		{"a quote without an end", "rust", "fn f<'a>(x)\n'", "⟨hk fn⟩ f<'a>(x)\n'"},
		{"words in words", "go", "iffy elseif_ if", "iffy elseif_ ⟨hk if⟩"},
		{"other letters", "go", "é世 x", "é世 x"},
		{"unknown", "brainfuck", "if // x", "if // x"},
		{"none", "", "if // x", "if // x"},
		{"empty", "go", "", ""},
	} {
		if diff := cmp.Diff(c.want, classed(highlight(c.language, c.code))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func FuzzHighlight(f *testing.F) {
	for _, s := range hostile {
		f.Add("go", s)
	}
	f.Add("rust", strings.Repeat(`"\`, 4096))
	f.Add("py", "\"\\")
	f.Fuzz(func(t *testing.T, language, code string) {
		var joined strings.Builder
		for _, p := range highlight(language, code) {
			joined.WriteString(p.text)
		}
		if joined.String() != code {
			t.Fatalf("%q became %q", code, joined.String())
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	b.SetBytes(int64(len(sampleAnswer)))
	for b.Loop() {
		if err := Markdown(sampleAnswer).Render(b.Context(), discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
