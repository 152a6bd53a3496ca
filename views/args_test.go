package views

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/agent"
	"github.com/google/go-cmp/cmp"
)

// outline writes parts as text: keys and values in brackets with their kind.
func outline(parts []argPart) string {
	var b strings.Builder
	for _, p := range parts {
		if p.kind == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString("⟨" + p.kind + " " + p.text + "⟩")
		}
	}
	return b.String()
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, want string }{
		{"object", `{"a":1,"b":"x"}`, "{\n  ⟨k \"a\"⟩: ⟨v 1⟩,\n  ⟨k \"b\"⟩: ⟨v \"x\"⟩\n}"},
		{"spaces are not kept", " { \"a\" :\t[ 1 ,\n2 ] } ", "{\n  ⟨k \"a\"⟩: [\n    ⟨v 1⟩,\n    ⟨v 2⟩\n  ]\n}"},
		{"empty ones", `{"a":{},"b":[ ]}`, "{\n  ⟨k \"a\"⟩: {},\n  ⟨k \"b\"⟩: []\n}"},
		{"numbers keep their digits", `[1.50,1e999,-0,100000000000000000001]`, "[\n  ⟨v 1.50⟩,\n  ⟨v 1e999⟩,\n  ⟨v -0⟩,\n  ⟨v 100000000000000000001⟩\n]"},
		{"keys that repeat", `{"a":1,"a":2}`, "{\n  ⟨k \"a\"⟩: ⟨v 1⟩,\n  ⟨k \"a\"⟩: ⟨v 2⟩\n}"},
		{"escapes are not decoded", `["\u202e\"\\\/\t"]`, "[\n  ⟨v \"\\u202e\\\"\\\\\\/\\t\"⟩\n]"},
		{"line feeds break the line too", `["a\nb\\nc\\\nd"]`, "[\n  ⟨v \"a⟩⟨nl \\n⟩⟨v b\\\\nc\\\\⟩⟨nl \\n⟩⟨v d\"⟩\n]"},
		{"hidden characters", "{\"a\u202e\":\"\u200bx\"}", "{\n  ⟨k \"a⟩⟨ctl U+202E⟩⟨k \"⟩: ⟨v \"⟩⟨ctl U+200B⟩⟨v x\"⟩\n}"},
		{"words", `[true,false,null]`, "[\n  ⟨v true⟩,\n  ⟨v false⟩,\n  ⟨v null⟩\n]"},
		{"a string alone", `"a"`, `⟨v "a"⟩`},
		{"brackets in strings", `{"}":"{[,:"}`, "{\n  ⟨k \"}\"⟩: ⟨v \"{[,:\"⟩\n}"},
		{"not JSON", "{\"a\":\n\tx\x00", "{\"a\":\n\tx⟨ctl U+0000⟩"},
		{"two values", `{} {}`, `{} {}`},
		{"nothing", "", ""},
	} {
		if diff := cmp.Diff(c.want, outline(exactArguments(c.raw).parts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestArgumentLines(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int{`{"a":1}`: 3, `{}`: 1, `["a\nb"]`: 3, "x\ny": 2, "": 1} {
		if got := exactArguments(raw).lines; got != want {
			t.Errorf("%q has %d lines, want %d", raw, got, want)
		}
	}
}

// What is shown is the tokens of what was sent: no more, no less, in order.
func FuzzArguments(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add(`{"a":[1,{"b":"\n\\n"}],"":{}}`)
	f.Add(strings.Repeat("[", 200) + strings.Repeat("]", 200))
	f.Fuzz(func(t *testing.T, raw string) {
		parts := exactArguments(raw).parts
		if !json.Valid([]byte(raw)) || agent.HasHidden(strings.Map(unspaced, raw)) {
			return
		}
		var shown strings.Builder
		for _, p := range parts {
			shown.WriteString(p.text)
		}
		var want, got strings.Builder
		if err := compact(&want, raw); err != nil {
			t.Fatal(err)
		}
		if err := compact(&got, shown.String()); err != nil {
			t.Fatalf("%q shows as %q: %v", raw, shown.String(), err)
		}
		if want.String() != got.String() {
			t.Fatalf("%q shows as %q", raw, shown.String())
		}
	})
}

func unspaced(r rune) rune {
	if r == '\n' || r == '\r' || r == '\t' {
		return -1
	}
	return r
}

// compact writes JSON without the spaces between its tokens.
func compact(b *strings.Builder, raw string) error {
	if !json.Valid([]byte(raw)) {
		return &json.SyntaxError{}
	}
	inside := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inside && c == '\\':
			b.WriteByte(c)
			i++
			b.WriteByte(raw[i])
			continue
		case c == '"':
			inside = !inside
		case !inside && strings.IndexByte(" \t\r\n", c) >= 0:
			continue
		}
		b.WriteByte(raw[i])
	}
	return nil
}
