package views

import (
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func markdown(t testing.TB, answer string) string {
	t.Helper()
	var b strings.Builder
	if err := Markdown(answer).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const (
		p    = `<p dir="auto">`
		rel  = ` rel="noopener noreferrer nofollow" target="_blank">`
		code = `<pre tabindex="0" role="group" aria-label="Code"><code data-source>`
		end  = "</code></pre></div>"
	)
	head := func(language string) string {
		var button strings.Builder
		if err := copyButton("").Render(t.Context(), &button); err != nil {
			t.Fatal(err)
		}
		return `<div class="code" data-copied><div class="code__head"><span>` + language + `</span>` + button.String() + `</div>`
	}
	for _, c := range []struct{ name, in, want string }{
		{"paragraphs", "a\nb\n\nc", p + "a\nb</p>" + p + "c</p>"},
		{"marks", "*a* **b** ~~c~~ `d`", p + "<em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>"},
		{"hard break", "a  \nb\\\nc", p + "a<br>b<br>c</p>"},
		{"headings start at the third level", "# a\n\n## b", "<h3>a</h3><h4>b</h4>"},
		{"headings leave no gap", "## a\n\n##### b\n\n## c", "<h3>a</h3><h4>b</h4><h3>c</h3>"},
		{"headings never rise by two", "### a\n\n# b\n\n### c", "<h3>a</h3><h3>b</h3><h4>c</h4>"},
		{"list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
		{"numbers keep their start", "3. a\n4. b", `<ol start="3"><li>a</li><li>b</li></ol>`},
		{"loose list", "- a\n\n- b", "<ul><li>" + p + "a</p></li><li>" + p + "b</p></li></ul>"},
		{"quote", "> a", "<blockquote>" + p + "a</p></blockquote>"},
		{"fence", "```go\nx <b> \"s\"\n\n```", head("go") + code + "x &lt;b&gt; <span class=\"hs\">&#34;s&#34;</span>\n\n" + end},
		{"open fence", "```\nx", head("") + code + "x\n" + end},
		{"indented code", "    x", head("") + code + "x\n" + end},
		{"hostile language", "```<b>\u202e\nx\n```", head("&lt;b&gt;[U+202E]") + code + "x\n" + end},
		{"rule", "a\n\n---", p + "a</p><hr>"},
		{"link", "[a](https://x.example/?q=1&r=2)", p + `<a href="https://x.example/?q=1&amp;r=2"` + rel + "a</a></p>"},
		{"mail", "<me@x.example>", p + `<a href="mailto:me@x.example"` + rel + "me@x.example</a></p>"},
		{"image is a link", "![a](http://x.example/i.png)", p + `<a href="http://x.example/i.png"` + rel + "a</a></p>"},
		{"link without words", "[](http://x.example)", p + `<a href="http://x.example"` + rel + "http://x.example</a></p>"},
		{"script address", "[a](javascript:x)", p + "[a](javascript:x)</p>"},
		{"disguised address", "[a](&#106;avascript:x)", p + "[a](javascript:x)</p>"},
		{"data address", "![a](data:text/html,x)", p + "![a](data:text/html,x)</p>"},
		{"relative address", "[a](/logout)", p + "[a](/logout)</p>"},
		{"no host", "[a](https:x)", p + "[a](https:x)</p>"},
		{"script autolink", "<javascript:x>", p + "&lt;javascript:x&gt;</p>"},
		{"inline HTML", "a <b onclick=x>c</b>", p + "a &lt;b onclick=x&gt;c&lt;/b&gt;</p>"},
		{"HTML block", "<script>\nx\n</script>", `<p class="block">&lt;script&gt;` + "\nx\n&lt;/script&gt;</p>"},
		{"references", "&lt; &amp;lt; &#38; &copy; &nothing; \\*", p + "&lt; &amp;lt; &amp; © &amp;nothing; *</p>"},
		{"references by number", "&#x41;&#X42;&#67;&#xD800;&#99999999;&#x;&#6x;", p + "ABC\ufffd\ufffd&amp;#x;&amp;#6x;</p>"},
		{"reference to NUL", "a&#0;b", p + "a\ufffdb</p>"},
		{"NUL", "a\x00b", p + "a␀b</p>"},
		{"line ends", "a\r\nb", p + "a\nb</p>"},
		{"table", "|a|b|\n|-|-:|\n|1|2|", `<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table><thead><tr><th scope="col" class="">a</th><th scope="col" class="num">b</th></tr></thead> <tbody><tr><td class="">1</td><td class="num">2</td></tr></tbody></table></div>`},
		{"empty", "", ""},
	} {
		if got := markdown(t, c.in); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}

// allowed are the elements and attributes that an answer may have.
var allowedMarkup = map[string]*regexp.Regexp{
	"p": regexp.MustCompile(`^( dir="auto"| class="block")$`), "a": regexp.MustCompile(`^ href="(https?://|mailto:)[^"]*" rel="noopener noreferrer nofollow" target="_blank"$`),
	"pre": regexp.MustCompile(`^ tabindex="0" role="group" aria-label="Code"$`), "div": regexp.MustCompile(`^( class="scroll-x" tabindex="0" role="group" aria-label="Table"| class="code" data-copied=""| class="code__head")$`),
	"span": regexp.MustCompile(`^( class="h[csnk]")?$`), "button": regexp.MustCompile(`^ class="btn btn--quiet btn--sm" type="button" data-copy=""$`),
	"svg": regexp.MustCompile(`^ class="i i--sm" aria-hidden="true"$`), "use": regexp.MustCompile(`^ href="/static/[0-9a-f]+/img/icons.svg#copy"$`),
	"ol": regexp.MustCompile(`^ start="\d+"$`), "th": regexp.MustCompile(`^ scope="col" class="(num)?"$`), "td": regexp.MustCompile(`^ class="(num)?"$`),
	"h3": bare, "h4": bare, "h5": bare, "h6": bare, "ul": bare, "li": bare, "blockquote": bare, "code": regexp.MustCompile(`^( data-source="")?$`), "em": bare, "strong": bare,
	"del": bare, "br": bare, "hr": bare, "table": bare, "thead": bare, "tbody": bare, "tr": bare,
}

var bare = regexp.MustCompile(`^$`)

func checkAnswer(t *testing.T, answer string) {
	t.Helper()
	out := markdown(t, answer)
	z := html.NewTokenizer(strings.NewReader(out))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatalf("%q: %v", answer, z.Err())
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			attributes := ""
			for _, a := range tok.Attr {
				attributes += " " + a.Key + `="` + a.Val + `"`
			}
			if rule := allowedMarkup[tok.Data]; rule == nil || !rule.MatchString(attributes) {
				t.Fatalf("%q made <%s%s>", answer, tok.Data, attributes)
			}
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("%q made %s", answer, z.Token())
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add(sampleAnswer)
	f.Add("[a](jAvAscript:x) [b]: javascript:x\n\n[b] <http://a\"onclick=x> ![<b>](http://x \"t\")\n\n<!-- --> <![CDATA[x]]> <?php x ?>")
	f.Fuzz(checkAnswer)
}

// Some inputs cost the square of their length; the bounds keep that short.
func TestHostileMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	started := time.Now()
	for _, s := range []string{"*a_", "[a](", "> ", "1. ", "`", "![", "| a ", "\\", "&", "<a", "**a ", "- "} {
		checkAnswer(t, strings.Repeat(s, 64<<10/len(s)))
		checkAnswer(t, strings.Repeat(strings.Repeat(s, 64)+"\n\n", 300))
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// Nothing of an answer is lost where it is too long to format.
func TestLongAnswersAreWhole(t *testing.T) {
	t.Parallel()
	line := "word word word word word word word\n"
	for name, answer := range map[string]string{
		"one paragraph": strings.Repeat(line, 1000),
		"paragraphs":    strings.Repeat(line+"\n", 1000),
		"one fence":     "```\n" + strings.Repeat(line+"\n", 1000) + "```\n",
		"beyond all":    strings.Repeat(line+"\n", 12_000),
	} {
		if got, want := strings.Count(markdown(t, answer), "word"), strings.Count(answer, "word"); got != want {
			t.Errorf("%s: %d words, want %d", name, got, want)
		}
	}
}

func TestSectionsStayWhole(t *testing.T) {
	t.Parallel()
	fence := "~~~~\n" + strings.Repeat("x\n\n", 5000) + "```\n\n~~~~\n\n"
	answer := strings.Repeat("a b c\n\n", 3000) + fence + "end"
	parts := sections(answer)
	if got := strings.Join(parts, ""); got != answer {
		t.Fatal("the sections are not the answer")
	}
	for _, p := range parts {
		if strings.Contains(p, "x\n") && !strings.Contains(p, fence) {
			t.Error("a fence was cut")
		}
	}
	if len(parts) < 3 {
		t.Errorf("%d sections", len(parts))
	}
}
