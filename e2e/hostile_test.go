package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"

	"countersign/providers/providertest"
)

// hostile is what a model, a tool or a person may say: markup that runs
// script, loads from elsewhere, hides or leaves the page; markup of this very
// program; links that are none; characters that turn or hide text.
const hostile = `<script>window.__pwn='script'</script>
<img src=x onerror="window.__pwn='img'"> <svg/onload=window.__pwn='svg'> <svg><script>window.__pwn='svg script'</script></svg>
<style>*{display:none!important}</style><p style="position:fixed;inset:0">over everything</p>
<iframe srcdoc="<script>parent.__pwn='iframe'</script>"></iframe><object data="http://evil.invalid/"></object><embed src="http://evil.invalid/">
<base href="http://evil.invalid/"><meta http-equiv="refresh" content="0;url=http://evil.invalid/"><link rel=stylesheet href="http://evil.invalid/x.css">
<form action="http://evil.invalid/"><button>Approve once</button></form><input autofocus onfocus="window.__pwn='focus'">
</p></div></li></article></main></template><template data-op="title">Owned</template><template data-op="remove" data-id="main"></template>
<div hx-get="/" hx-trigger="load" hx-on::load="window.__pwn='htmx'" data-on-load="window.__pwn=1"></div> {{.}} ${window.__pwn=2}
[js](javascript:window.__pwn='md') [data](data:text/html,<script>window.__pwn='data'</script>) [vb](vbscript:x) <javascript:window.__pwn='auto'> [j2](JaVaScRiPt&colon;window.__pwn=3)
![pixel](http://evil.invalid/pixel.png "title") ![data](data:image/svg+xml,<svg/onload=window.__pwn='image'>) [ref]

[ref]: javascript:window.__pwn='reference'

&lt;i&gt; &#60;script&#62; &amp;amp; ` + "`<b>code</b>`" + `

` + "```html\"><script>window.__pwn='fence'</script>\n<script>window.__pwn='code'</script>\n```" + `

| <b>a</b> | [x](javascript:1) |
| --- | --- |
| <img src=x> | b |

turned ` + "\u202Eevil\u202C, \u2066isolated\u2069, zero\u200Bwidth, \uFEFFmark, soft\u00ADhyphen" + `
nul ` + "\x00" + `, escape ` + "\x1b[31m" + `, bell ` + "\a" + `, delete ` + "\x7f" + `, C1 ` + "\u0085" + `
مرحبا بالعالم! שלום 你好 👩‍👩‍👧 é`

// shown is how running text stands on a page: nothing of it is gone, and what
// HTML can't carry has a symbol.
var shown = strings.NewReplacer("\x00", "␀", "\x1b", "␛", "\a", "␇", "\x7f", "␡", "\u0085", "\uFFFD")

// forbidden is what only a payload could have put into the body.
const forbidden = `body script, body style, body link, body base, body meta, body img, iframe, object, embed, [style], [srcdoc],
	[onload], [onerror], [onfocus], [hx-get]:not([hx-get^="/c/"]), [hx-trigger], [autofocus], svg script, svg[onload], template:not([data-file-pending], [data-files-said]),
	a[href^="javascript" i], a[href^="data" i], a[href^="vbscript" i], [action*="evil.invalid"], [src*="evil.invalid"]`

// wantInert requires that nothing on the page came out of outside text but
// text. That nothing was asked of another host, and that no policy had to stop
// anything, is looked at for every page.
func (p *page) wantInert(when string) {
	p.t.Helper()
	found, err := p.Evaluate(`selector => JSON.stringify([
		typeof window.__pwn, document.querySelectorAll(selector).length, document.title.includes('Owned'),
		document.body.checkVisibility(), [...document.querySelectorAll(selector)].map(e => e.outerHTML.slice(0, 200)),
	])`, forbidden)
	p.must(err)
	if diff := cmp.Diff(`["undefined",0,false,true,[]]`, fmt.Sprint(found)); diff != "" {
		p.t.Errorf("%s: the page is not inert (-want +got):\n%s", when, diff)
	}
}

// wantShown requires that an element holds a text to the letter.
func (p *page) wantShown(when, selector, text string) {
	p.t.Helper()
	if diff := cmp.Diff(shown.Replace(text), p.inner(selector)); diff != "" {
		p.t.Errorf("%s: %s (-want +got):\n%s", when, selector, diff)
	}
}

// Hostile text is inert and visible wherever text of others comes to stand.
func TestHostileText(t *testing.T) {
	t.Parallel()
	var arguments strings.Builder
	encoder := json.NewEncoder(&arguments)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]string{"title": "<img src=x onerror=window.__pwn=4> \u202Etxt.exe", "text": hostile}); err != nil {
		t.Fatal(err)
	}
	text := strconv.Quote(hostile)
	c := newChat(t, `
reasoning `+text+`
text `+text+`
gate streaming
call call_1 notes_write `+strconv.Quote(arguments.String())+`
finish tool_calls
---
expect results 1
text "Now another: "
call call_2 notes_read {"title":"<svg/onload=window.__pwn=6>"}
finish tool_calls
---
text "`+"```"+`<script>\n"
text `+text+`
finish stop
`)
	c.start(hostile)
	c.model.Reached("streaming")
	c.must(expect.Locator(c.draft()).ToHaveAttribute("data-end", strconv.Itoa(len(hostile))))
	c.wantInert("while streaming")
	c.wantShown("while streaming", `[data-channel="answer"]`, hostile)
	c.wantShown("while streaming", `[data-channel="reasoning"]`, hostile)
	c.wantShown("the message", ".slip .prose", typed(hostile))
	if title := c.inner("#bar-title"); !strings.HasPrefix(title, "<script>window.__pwn") {
		t.Errorf("the title is %q", title)
	}
	c.wantSame(c.join())
	c.join().wantInert("a tab that joins while streaming")

	c.model.Release("streaming")
	c.awaitStatus(isWaiting)
	c.wantInert("a waiting card")
	c.wantText("[data-card]", "<img src=x onerror=window.__pwn=4>", "U+202E", "Hidden characters")
	c.join().wantInert("a waiting card, loaded")
	c.decide("Write a note", "Approve once")
	c.awaitStatus(isReady)
	c.wantInert("finished")
	c.wantText("#runs", "<svg/onload=window.__pwn=6>")
	plain := c.Locator(".plain__text")
	for i, want := range []string{hostile, "Now another: ", "```<script>\n" + hostile} {
		got, err := plain.Nth(i).TextContent()
		c.must(err)
		if diff := cmp.Diff(shown.Replace(want), got); diff != "" {
			t.Errorf("answer %d as plain text (-want +got):\n%s", i+1, diff)
		}
	}
	c.wantText(".attempt.is-final >> nth=0", "over everything", "pixel", "javascript:window.__pwn='md'", "&lt;i&gt;")
	for _, tab := range []*page{c.join(), c.page} {
		tab.visit(c.URL(), http.StatusOK)
		tab.wantInert("after a reload")
		tab.visit("/", http.StatusOK)
		tab.wantInert("the list")
	}
}

// A tool of a hostile name is no tool, and its name is text.
func TestHostileToolName(t *testing.T) {
	t.Parallel()
	const name = "<img src=x onerror=window.__pwn=1>\u202E"
	chunk := func(delta any, finish string) string {
		data, err := json.Marshal(map[string]any{
			"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted-1",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return "data: " + strings.Replace(string(data), `"finish_reason":""`, `"finish_reason":null`, 1) + "\n\n"
	}
	call := map[string]any{"tool_calls": []any{map[string]any{
		"index": 0, "id": name, "type": "function", "function": map[string]any{"name": name, "arguments": `{"<b>":"<i>"}`},
	}}}
	c := newChatWith(t, providertest.NewServer(t,
		providertest.Events([]byte(chunk(call, "")+chunk(map[string]any{}, "tool_calls")+"data: [DONE]\n\n")),
		providertest.Events([]byte(chunk(map[string]any{"content": "Never mind."}, "stop")+"data: [DONE]\n\n")),
	).URL)
	c.start("Go")
	c.awaitStatus(isReady)
	c.wantInert("finished")
	c.wantText("#runs", "<img src=x onerror=window.__pwn=1>U+202E", "failed", "Never mind.")
	c.join().wantInert("loaded")
	c.wantSame(c.join())
}

// typed is what a browser sends of a text that is typed into a form: it has no
// carriage returns in it.
func typed(text string) string { return strings.ReplaceAll(text, "\r", "") }

// Names of people, providers and models are text as well, on every page.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	const payload = `<img src=x onerror=window.__pwn=1>` + "\u202E"
	c := newChat(t, `
text "Hello."
finish stop
`)
	c.connect("Provider "+payload, c.model.URL, `<script>window.__pwn=2</script>`)
	c.wantInert("the provider")
	c.visit("/settings/providers", http.StatusOK)
	c.wantInert("the providers")
	c.wantText("main", "Provider <img src=x onerror=window.__pwn=1>U+202E")
	c.visit("/", http.StatusOK)
	c.wantInert("a new conversation")
	labels := []string{"<script>window.__pwn=2</script> on Provider <img src=x onerror=window.__pwn=1>[U+202E]"}
	_, err := c.GetByLabel("Model").SelectOption(playwright.SelectOptionValues{Labels: &labels})
	c.must(err)
	c.start("Hello?")
	c.awaitStatus(isReady)
	c.wantInert("the conversation")
	c.wantText("#runs", "<script>window.__pwn=2</script> on Provider <img src=x onerror=window.__pwn=1>U+202E")
	c.join().wantInert("the conversation, loaded")

	named := startServer(t)
	p := newPage(t, named.url)
	p.visit(named.SetupURL(), http.StatusOK)
	p.fill("Your name", "Ada "+payload)
	p.fill("Email", adminEmail)
	p.fill("Password", adminPassword)
	p.press("Create the admin account")
	p.must(expect.Page(p).ToHaveURL("/welcome"))
	p.wantInert("after the first run")
	p.press("Try it offline")
	p.suggestion("A call that waits for you")
	p.awaitStatus(isWaiting)
	p.wantText("[data-card]", "Signing as Ada <img src=x onerror=window.__pwn=1>U+202E")
	p.wantText("nav", "Ada <img src=x onerror=window.__pwn=1>[U+202E]")
	p.decide("Write a note", "Approve once")
	p.awaitStatus(isReady)
	p.wantText(".decided", "Ada <img src=x onerror=window.__pwn=1>U+202E")
	p.wantInert("signed")
}

// TestModelTextMarkup is the case ui-model-text-markup.
func TestModelTextMarkup(t *testing.T) {
	t.Parallel()
	message := string(readFile(t, "ui-model-text-markup/input.md"))
	const answer = "<script>window.__pwn=1</script><img src=x onerror=window.__pwn=2> <b>bold</b> &lt;i&gt; [x](javascript:window.__pwn=3)"
	stream := providertest.Events(readFile(t, "ui-model-text-markup/input.sse"))
	stream.Writes = []int{200}
	c := newChatWith(t, providertest.NewServer(t, stream).URL)
	c.start(message)
	c.awaitStatus(isReady)
	check := func(when string, p *page) {
		t.Helper()
		p.wantInert(when)
		p.wantShown(when, ".slip .prose", message)
		p.wantShown(when, ".plain__text", answer)
		p.wantText(".attempt.is-final > .prose", "<script>window.__pwn=1</script>", "<b>bold</b> ", "javascript:window.__pwn=3")
	}
	check("followed", c.page)
	check("after a reload", c.join())
}

// Text of any size and shape arrives whole, does not push the page out of its
// window and leaves it usable.
func TestHugeText(t *testing.T) {
	t.Parallel()
	texts := []string{
		strings.Repeat("wide ", 20_000) + strings.Repeat("x", 100_000), // one line
		strings.Repeat("a line\n", 5_000),
		strings.Repeat("> ", 3_000) + "deep",
		nestedList(300),
		strings.Repeat("[", 20_000) + strings.Repeat("*a_", 5_000),
		strings.Repeat("````\n~~~\n", 2_000),
		"z" + strings.Repeat("\u0301", 20_000),
		strings.Repeat("שלום עולם ", 2_000),
	}
	script := `text "Thank you."` + "\nfinish stop\n"
	for _, text := range texts {
		script += "---\ntext " + strconv.Quote(text) + "\nfinish stop\n"
	}
	c := newChat(t, script, narrow)
	message := strings.Repeat("long ", 10_000) + strings.Repeat("y", 50_000)
	c.start(message)
	c.awaitStatus(isReady)
	c.wantShown("the message", ".slip .prose", message)
	for i, text := range texts {
		c.send("Go on")
		c.must(expect.Locator(c.finished()).ToHaveCount(i + 2))
		c.awaitStatus(isReady)
		if got := c.plainText(); got != text {
			t.Errorf("text %d is not whole: got %d bytes that begin with %.40q, want %d", i+1, len(got), got, len(text))
		}
		if c.overflows() {
			t.Errorf("text %d pushes the page out of its window", i+1)
		}
	}
	c.wantInert("at the end")
	c.wantSame(c.join())
}

func nestedList(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- item\n")
	}
	return b.String()
}
