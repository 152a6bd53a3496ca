package views_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"countersign/views"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":       "plain\ttext\n",
		"a\x00b":              "a␀b",
		"\x1b[31m":            "␛[31m",
		"a\r\nb\rc":           "a\nbc",
		"\x7f":                "␡",
		"a\u0085b":            "a\ufffdb",
		"caf\xe9":             "caf\ufffd",
		"\u202eabc\U0001f600": "\u202eabc\U0001f600",
	} {
		if got := views.Printable(in); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPlainLabelsWhatCanNotBeSeen(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           "",
		"notes_write":                "notes_write",
		"Zoë 東京 العربية":             "Zoë 東京 العربية",
		"invoice\u202efdp.exe":       "invoice[U+202E]fdp.exe",
		"a\u2066b\u2069":             "a[U+2066]b[U+2069]",
		"pay\u200bpal":               "pay[U+200B]pal",
		"a\u00adb\ufeff":             "a[U+00AD]b[U+FEFF]",
		"a\nb\tc\r":                  `a[\n]b[\t]c[\r]`,
		"a\x00\x1b\x7f\u0085":        "a[U+0000][U+001B][U+007F][U+0085]",
		"\u3164x\u115f\u2800":        "[U+3164]x[U+115F][U+2800]",
		"a\U000e0041":                "a[U+E0041]",
		"\xff\ufffd":                 "[byte FF]\ufffd",
		"\U0001f468\u200d\U0001f469": "\U0001f468\u200d\U0001f469",
		"\u2764\ufe0f 1\ufe0f":       "\u2764\ufe0f 1\ufe0f",
		"می\u200cخواهم":              "می\u200cخواهم",
		"ad\u200cmin a\u200d\u0628":  "ad[U+200C]min a[U+200D]\u0628",
		"a\ufe0f":                    "a[U+FE0F]",
		"\u2028\u2029":               "[U+2028][U+2029]",
		"\ue000":                     "[U+E000]",
	} {
		if got := views.Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u202eb\x00\xff\u200d\U0001f600")
	f.Fuzz(func(t *testing.T, s string) {
		plain, shown := views.Plain(s), views.Printable(s)
		if !utf8.ValidString(plain) || !utf8.ValidString(shown) {
			t.Fatalf("not UTF-8: %q, %q", plain, shown)
		}
		if strings.ContainsAny(plain, "\x00\n\r\u202e\u2066\u200b") || strings.ContainsAny(shown, "\x00\r\x1b") {
			t.Fatalf("%q shows as %q and %q", s, plain, shown)
		}
		for i := range s {
			if got := views.Printable(s[:i]) + views.Printable(s[i:]); got != shown && utf8.ValidString(s) {
				t.Fatalf("cut at %d: %q, want %q", i, got, shown)
			}
		}
	})
}
