package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/playwright-community/playwright-go"

	"countersign/providers/providertest"
)

// A failed attempt takes its text with it: from every tab, list, title and
// source, before and after a reload, and from what the model is told.
func TestFailedAttemptVanishes(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "an old thought"
text "Partial content"
gate half
error overloaded
---
gate again
reasoning "a better thought"
text "Successful content."
finish stop
---
text "And more."
finish stop
`)
	c.start("Try it")
	c.model.Reached("half")
	c.wantDraft("Partial content")
	other := c.join()
	other.wantDraft("Partial content")
	other.wantVisible("an old thought")

	withdrawn := []string{"Partial content", "an old thought"}
	c.model.Release("half")
	for _, tab := range []*page{c.page, other} {
		tab.must(expect.Locator(tab.Locator(".is-withdrawn")).ToBeVisible())
		tab.wantAbsent(withdrawn, c.URL(), "/")
	}

	c.model.Reached("again")
	c.model.Release("again")
	c.awaitStatus(isReady)
	other.awaitStatus(isReady)
	c.wantSame(other, c.join())
	for _, tab := range []*page{c.page, other} {
		tab.wantAbsent(withdrawn, c.URL(), "/")
	}
	if got := c.plainText(); got != "Successful content." {
		t.Errorf("got the answer %q", got)
	}

	c.send("Go on")
	c.must(expect.Locator(c.finished()).ToHaveCount(2))
	want := []sentMessage{{"user", "Try it"}, {"assistant", "Successful content."}, {"user", "Go on"}}
	if diff := cmp.Diff(want, c.lastSent()); diff != "" {
		t.Errorf("what the model was told (-want +got):\n%s", diff)
	}
}

// The answer on the page is the stored one, which is what the model gets back
// with the next message, byte for byte.
func TestAnswerIsTheStoredOne(t *testing.T) {
	t.Parallel()
	answer := "\n\n  # Not trimmed \n\ttab\u00a0no-break  two  \n\n\n\n- e\u0301 👩\u200d👩\u200d👧 مرحبا\n```go\na := \"<b>&lt;\"\n```\n" +
		strings.Repeat("A line. ", 600) + "\n \n\n"
	var script strings.Builder
	for rest := answer; rest != ""; {
		n := min(len(rest), 7)
		for n < len(rest) && rest[n]&0xc0 == 0x80 { // between characters
			n++
		}
		piece, err := json.Marshal(rest[:n])
		if err != nil {
			t.Fatal(err)
		}
		script.WriteString("text " + string(piece) + "\n")
		rest = rest[n:]
	}
	c := newChat(t, script.String()+"gate end\nfinish stop\n---\ntext \"Yes.\"\nfinish stop\n")
	c.start("Say it")
	c.model.Reached("end")
	c.must(expect.Locator(c.draft()).ToHaveAttribute("data-end", strconv.Itoa(len(answer))))
	draft, err := c.draft().TextContent()
	c.must(err)
	if draft != answer {
		t.Errorf("the draft differs (-want +got):\n%s", cmp.Diff(answer, draft))
	}
	c.model.Release("end")
	c.awaitStatus(isReady)
	for name, tab := range map[string]*page{"the tab that followed": c.page, "a later tab": c.join()} {
		if got := tab.plainText(); got != answer {
			t.Errorf("%s differs (-want +got):\n%s", name, cmp.Diff(answer, got))
		}
	}
	c.send("Is that all?")
	c.must(expect.Locator(c.finished()).ToHaveCount(2))
	if got := c.lastSent()[1].Content; got != answer {
		t.Errorf("what is stored differs (-want +got):\n%s", cmp.Diff(answer, got))
	}
}

// TestRetryReplacesText is the case ui-retry-replaces-text.
func TestRetryReplacesText(t *testing.T) {
	t.Parallel()
	first := providertest.Events(readFile(t, "ui-retry-replaces-text/input.1.sse"))
	first.Then = providertest.Reset
	model := providertest.NewServer(t, first, providertest.Events(readFile(t, "ui-retry-replaces-text/input.2.sse")))
	c := newChatWith(t, model.URL)
	c.start("Try it")
	c.awaitStatus(isReady)
	if got := c.plainText(); got != "Successful content." {
		t.Errorf("got the answer %q", got)
	}
	c.wantAbsent([]string{"Partial content", "old thought"}, c.URL(), "/")
}

// TestCutCallIsNoCard is the case cc-eof-mid-arguments: a call from an answer
// that broke off is shown to nobody.
func TestCutCallIsNoCard(t *testing.T) {
	t.Parallel()
	cut := providertest.Events(readFile(t, "cc-eof-mid-arguments/input.sse"))
	model := providertest.NewServer(t, cut, cut, cut)
	c := newChatWith(t, model.URL)
	c.must(c.Page.AddInitScript(everSeen("[data-card], .tool, .card")))
	c.start("Save it")
	c.awaitStatus(isFailed)
	seen, err := c.Evaluate(`() => window.__seen`)
	c.must(err)
	if seen != nil {
		t.Errorf("a card or a call was on the page: %v", seen)
	}
	c.wantAbsent([]string{"I will save it.", "write_file", "a.txt"}, c.URL(), "/")
	c.wantSame(c.join())
	if got := len(model.Requests()); got != 3 {
		t.Errorf("got %d attempts, want 3", got)
	}
}

// TestErrorPageStaysOutside is the case err-502-html-page: nothing of what a
// gateway says in place of the model gets anywhere.
func TestErrorPageStaysOutside(t *testing.T) {
	t.Parallel()
	var input struct {
		Status  int
		Headers map[string]string
		Body    string
	}
	readCase(t, "err-502-html-page", &input)
	gateway := providertest.Answer{Status: input.Status, Header: input.Headers, Body: []byte(input.Body)}
	model := providertest.NewServer(t, gateway, gateway, gateway)
	c := newChatWith(t, model.URL)
	c.start("Try it")
	c.wantVisible("HTTP 502")
	c.awaitStatus(isFailed)
	body := []string{"Ray ID", "Bad gateway", "__pwn"}
	c.wantAbsent(body, c.URL(), "/")
	c.lacks("the log", c.server.stderr.String(), body)
	if pwn, err := c.Evaluate(`() => typeof window.__pwn`); err != nil || pwn != "undefined" {
		t.Errorf("the page ran what the gateway sent: %v, %v", pwn, err)
	}
}

// The wait before the next attempt is counted down, as long as the provider
// asked for, and can be ended.
func TestRetryCountsDown(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
status 429 rate_limit retry-after=30s
`)
	c.start("Go")
	tab := c.another()
	c.must(tab.Clock().Install())
	tab.visit(c.URL(), http.StatusOK)
	wait := tab.Locator(".fault__next")
	tab.must(expect.Locator(wait).ToHaveText(regexp.MustCompile(`starts in\s+(30|2\d) s`)))
	tab.must(tab.Clock().FastForward("15"))
	tab.must(expect.Locator(wait).ToHaveText(regexp.MustCompile(`starts in\s+1?\d s`)))
	tab.press("Stop trying")
	c.awaitStatus(isStopped)
	tab.awaitStatus(isStopped)
	c.wantSame(tab, c.join())
}

// A failure that does not pass ends the run at once and says what to do.
func TestLastingFailure(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
expect attempt 1
status 401 authentication code=invalid_api_key
`)
	c.start("Try it")
	c.awaitStatus(isFailed)
	c.must(expect.Locator(c.Locator(".fault")).ToContainText("Countersign stopped"))
	c.must(expect.Locator(c.Locator(".fault").GetByText("Open the provider")).ToBeVisible())
	c.must(expect.Locator(c.Locator("#message")).ToBeEditable())
	c.wantSame(c.join())
}

// everSeen is a script for new documents that notes in window.__seen the
// markup of the first element that matches, however short it was there.
func everSeen(selector string) playwright.Script {
	return playwright.Script{Content: playwright.String(`new MutationObserver(() => {
		const found = document.querySelector(` + strconv.Quote(selector) + `);
		if (found) window.__seen ??= found.outerHTML;
	}).observe(document, {childList: true, subtree: true})`)}
}

// readFile reads a file of testdata.
func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
