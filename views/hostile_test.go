package views

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// hostile are texts that must stay text wherever they are shown.
var hostile = map[string]string{
	"markup":    `<script>window.pwn=1</script><img src=x onerror=window.pwn=2><svg/onload=pwn()>`,
	"quotes":    `"' onmouseover="pwn()" x='y' ` + "`",
	"close":     `</textarea></title></pre></template></style>--><b>pwn</b>`,
	"address":   `javascript:window.pwn=3`,
	"link":      `[x](javascript:pwn()) [y](data:text/html,<script>pwn()</script>) <javascript:pwn> ![z](vbscript:pwn)`,
	"escaped":   `&lt;i&gt; &#60;script&#62; &amp;lt; \<b\>`,
	"bidi":      "invoice\u202efdp.exe \u2066x\u2069 \u200b\ufeff",
	"controls":  "a\x00b\x1b[31mc\x7fd\u0085e\rf",
	"not utf-8": "caf\xe9 \xff\xfe",
	"huge":      strings.Repeat("long ", 20_000),
	"wide":      strings.Repeat("W", 5_000),
	"json":      `{"a":"<script>pwn()</script>","b":"\u202e","` + "\u202e" + `":"` + "\u200b" + `","a":1e999}`,
	"deep":      strings.Repeat("> ", 2_000) + strings.Repeat("[", 2_000),
	"empty":     "",
	"template":  `{{.}} ${pwn} {%pwn%} <!--#exec cmd="pwn"-->`,
}

// shape is what a component is made of: its elements with the names of their
// attributes, without what depends on the length of a text.
func shape(t *testing.T, markup string) []string {
	t.Helper()
	var shape []string
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return shape
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			line := tok.Data
			for _, a := range tok.Attr {
				line += " " + a.Key
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					t.Errorf("an attribute %s=%q", a.Key, a.Val)
				}
				if (a.Key == "href" || a.Key == "src" || a.Key == "action") && !safeAddress.MatchString(a.Val) {
					t.Errorf("an address %s=%q", a.Key, a.Val)
				}
			}
			shape = append(shape, line)
		}
	}
}

var safeAddress = regexp.MustCompile(`^(/|#|\?|https?://|mailto:)`)

// textual are the elements that a text may bring with it: those of an answer,
// of arguments and of labelled characters.
var textual = map[string]bool{}

func init() {
	for _, name := range strings.Fields("p h3 h4 h5 h6 ul ol li blockquote pre code em strong del a br hr div table thead tbody tr th td span button") {
		textual[name] = true
	}
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	plain := Samples()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, s := range samples(func(string) string { return text }) {
				var want, got strings.Builder
				if err := plain[i].HTML.Render(t.Context(), &want); err != nil {
					t.Fatal(err)
				}
				if err := s.HTML.Render(t.Context(), &got); err != nil {
					t.Fatal(err)
				}
				checkMarkup(t, s, got.String(), text)
				known := shape(t, want.String())
				for _, element := range shape(t, got.String()) {
					tag, _, _ := strings.Cut(element, " ")
					if !slices.Contains(known, element) && !textual[tag] && !expected(element) {
						t.Errorf("%s %s: the text made <%s>", s.Component, s.State, element)
					}
				}
			}
		})
	}
}

// expected reports whether an element is there or not for an honest reason: a
// text that is empty or suspicious is shown in another way.
func expected(element string) bool {
	tag, _, _ := strings.Cut(element, " ")
	return slices.Contains([]string{"svg", "use", "dd", "details", "summary", "input", "textarea", "h2", "option", "optgroup"}, tag) && !strings.Contains(element, "src")
}

func checkMarkup(t *testing.T, s Sample, got, text string) {
	t.Helper()
	switch {
	case !utf8.ValidString(got):
		t.Errorf("%s %s: not UTF-8", s.Component, s.State)
	case strings.ContainsRune(got, 0):
		t.Errorf("%s %s: holds NUL", s.Component, s.State)
	case strings.Contains(got, "<script>window"), strings.Contains(got, "<b>pwn"), strings.Contains(got, "<img"):
		t.Errorf("%s %s: the text became markup", s.Component, s.State)
	}
	if s.Component == "page" && text != "" && strings.Count(got, "<script") != 2 {
		t.Errorf("%s %s: %d scripts", s.Component, s.State, strings.Count(got, "<script"))
	}
}

// In a card, a name and arguments show every character that can't be seen.
func TestCardsLabelHiddenCharacters(t *testing.T) {
	t.Parallel()
	for _, s := range samples(func(string) string { return "{\"a\":\"x\u202ey\"}" }) {
		if s.Component != "card" {
			continue
		}
		var b strings.Builder
		if err := s.HTML.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		text := elementText(t, b.String())
		if strings.ContainsRune(text, 0x202e) {
			t.Errorf("%s: the mark itself is shown", s.State)
		}
		if !strings.Contains(text, "U+202E") || !strings.Contains(b.String(), "is-dangerous") {
			t.Errorf("%s: the mark is not labelled", s.State)
		}
	}
}

// elementText is what a page shows, without the values of attributes.
func elementText(t *testing.T, markup string) string {
	t.Helper()
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			b.WriteString(z.Token().Data)
		}
	}
}
