package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"countersign/providers/scripted/scriptedtest"
)

// What the line below a conversation's title says about its newest run.
const (
	isReady   = "ready" // answered, or nothing has been asked
	isWorking = "working"
	isWaiting = "waiting for you"
	isAsking  = "has a question for you"
	isFailed  = "the last run failed"
	isStopped = "the last run was stopped"
)

// waitLimit bounds a wait that is not the browser's own.
const waitLimit = 10 * time.Second

// A chat is a server whose only model plays a script, and a tab of its admin
// at the page of a new conversation.
type chat struct {
	*page
	server *server
	model  *scriptedtest.Server // nil where the test brought its own
}

// newChat starts both and connects them, by the forms that the pages of the
// first run and of the providers send. The script is strict: a request that it does not expect, or a response that
// nobody asks for, fails the test. See package scripted for its format.
func newChat(t *testing.T, script string, looks ...look) *chat {
	t.Helper()
	model := scriptedtest.NewServer(t, script) // outlives the server that asks it
	c := newChatWith(t, model.URL, looks...)
	c.model = model
	return c
}

// newChatWith is newChat for a model server that is there already, at a base
// URL.
func newChatWith(t *testing.T, baseURL string, looks ...look) *chat {
	t.Helper()
	s := startServer(t)
	p := newPage(t, s.url, looks...)
	_, token, _ := strings.Cut(s.SetupURL(), "token=")
	p.post("/setup", map[string]any{"token": token, "name": adminName, "email": adminEmail, "password": adminPassword})
	p.post("/settings/providers", map[string]any{
		"name": "Scripted", "api": "chat-completions", "base_url": baseURL, "private": "on", "credential": "none", "models": "scripted-1", "stream_usage": "on",
	})
	p.visit("/", http.StatusOK)
	return &chat{page: p, server: s}
}

// post sends a form without its page, with the cookies of the browser, and
// requires that it leads on to another page.
func (p *page) post(path string, form map[string]any) {
	p.t.Helper()
	response, err := p.Context().Request().Post(path, playwright.APIRequestContextPostOptions{
		Form: form, MaxRedirects: playwright.Int(0),
	})
	p.must(err)
	if response.Status() != http.StatusSeeOther {
		p.t.Fatalf("post to %s: got status %d, want 303", path, response.Status())
	}
}

// A sentMessage is an entry of the history that a request to the model holds.
type sentMessage struct{ Role, Content string }

// lastSent is the history of the newest request that the model got, without
// the instructions.
func (c *chat) lastSent() []sentMessage {
	c.t.Helper()
	all := c.model.Sent()
	var request struct{ Messages []sentMessage }
	c.must(json.Unmarshal(all[len(all)-1].Body, &request))
	return slices.DeleteFunc(request.Messages, func(m sentMessage) bool { return m.Role == "system" })
}

// join opens the same conversation in another tab of the same browser.
func (p *page) join() *page {
	p.t.Helper()
	other := p.another()
	other.visit(p.URL(), http.StatusOK)
	return other
}

// wantVisible waits until the text is to be seen on the page.
func (p *page) wantVisible(text string) {
	p.t.Helper()
	p.must(expect.Locator(p.GetByText(text)).ToBeVisible())
}

// connect adds a provider on this machine that needs no key, through its page.
func (p *page) connect(name, baseURL, model string) {
	p.t.Helper()
	p.visit("/settings/providers/new?preset=custom", http.StatusOK)
	connection{name: name, baseURL: baseURL, private: true, model: model}.fillIn(p, "Save")
	p.wantText("main", "Saved.")
}

// must ends the test if there is an error.
func (p *page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// start sends the first message of a conversation, from the page of a new one.
func (p *page) start(text string) {
	p.t.Helper()
	p.must(p.Locator("#message").Fill(text))
	p.press("Send")
	p.must(expect.Locator(p.Locator("main[data-live]")).ToBeAttached())
}

// send sends a message to the open conversation and waits until it was taken.
// It waits in the queue while a run is under way.
func (p *page) send(text string) {
	p.t.Helper()
	p.must(p.Locator("#message").Fill(text))
	p.must(p.Locator("#composer button[type=submit]").First().Click())
	p.must(expect.Locator(p.Locator("#message")).ToHaveValue(""))
}

// awaitStatus waits until the newest run is where one of the constants above
// says.
func (p *page) awaitStatus(status string) {
	p.t.Helper()
	p.must(expect.Locator(p.Locator("#bar-meta")).ToHaveText("Assistant · " + status))
}

// draft is the answer of the open attempt so far.
func (p *page) draft() playwright.Locator {
	return p.Locator(`[data-attempt][data-channel="answer"]`)
}

// finished are the finished answers, formatted, oldest first.
func (p *page) finished() playwright.Locator { return p.Locator(".attempt.is-final > .prose") }

// wantDraft waits until the open attempt shows this answer.
func (p *page) wantDraft(text string) {
	p.t.Helper()
	p.must(expect.Locator(p.draft()).ToHaveText(text))
}

// plainText is the newest finished answer as "Show as plain text" has it, byte
// for byte.
func (p *page) plainText() string {
	p.t.Helper()
	text, err := p.Locator(".plain__text").Last().TextContent()
	p.must(err)
	return text
}

// wantAbsent requires that none of the texts is in the source of any of the
// addresses, nor in the document of the tab, where folded and hidden text
// counts as well.
func (p *page) wantAbsent(texts []string, addresses ...string) {
	p.t.Helper()
	document, err := p.Content()
	p.must(err)
	p.lacks("the document of "+p.URL(), document, texts)
	for _, address := range addresses {
		response, err := p.Context().Request().Get(address)
		p.must(err)
		source, err := response.Text()
		p.must(err)
		if response.Status() != http.StatusOK {
			p.t.Errorf("%s: got status %d, want 200", address, response.Status())
		}
		p.lacks("the source of "+address, source, texts)
	}
}

// inner is the text of an element, folded and hidden text included.
func (p *page) inner(selector string) string {
	p.t.Helper()
	text, err := p.Locator(selector).TextContent()
	p.must(err)
	return text
}

// until tries again what can't be waited for in the page, such as what a page
// without script shows once it is loaded anew.
func (p *page) until(what string, holds func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitLimit)
	defer cancel()
	for !holds() {
		if ctx.Err() != nil {
			p.t.Fatalf("%s: not within %v", what, waitLimit)
		}
	}
}

func containsAll(text string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}
