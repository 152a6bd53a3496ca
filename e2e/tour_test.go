package e2e_test

import (
	"net/http"
	"strings"

	"github.com/playwright-community/playwright-go"
)

// tourScript has an answer for each message of [chat.tour].
const tourScript = `
match user "stream"
reasoning "The person wants to see a draft. "
text
| A draft, with a first paragraph that is long enough to need more than one line of a window, whatever the width of the window may be.
|
| ## A heading that is still plain text
gate draft
finish stop
---
match user "sign"
match results 0
text "I will tidy up. Both calls wait for you."
call call_1 notes_write
| {
|   "title": "A title with a very long word in it: ` + longWord + `",
|   "text": "Hidden: ` + "\u202ethis runs the other way\u202c" + ` and ` + longWord + `"
| }
call call_2 notes_delete {"title":"Old list"}
finish tool_calls
---
match user "sign"
text "One is done, the other is not."
usage in=1200 out=34 cached=1000 reasoning=12
finish stop
---
match user "ask"
match results 0
text "Two things are not clear."
call call_1 ask_user {"questions":[{"header":"Clock","question":"Which clock should 09:30 follow?","options":[{"label":"Edinburgh","description":"11:30 in Helsinki, all year"},{"label":"Helsinki","description":"07:30 in Edinburgh, all year"}]},{"header":"Notify","question":"Who should be told?","multi_select":true,"options":[{"label":"Everyone invited","description":"9 people get an updated invitation"},{"label":"` + longWord + `","description":"A name that does not break"}]}]}
finish tool_calls
---
match user "ask"
text "Thank you."
finish stop
---
match user "grant"
match results 0
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
match user "grant"
match results 1
call call_2 notes_write {"title":"B","text":"two"}
finish tool_calls
---
match user "grant"
text "Both are written."
finish stop
---
match user "expire"
match results 0
call call_1 notes_delete {"title":"Old list"}
finish tool_calls
---
match user "expire"
text "Nobody was there."
finish stop
---
match user "retry"
text "A draft that fails."
error overloaded code=server_is_overloaded
---
match user "retry"
status 503 overloaded code=server_is_overloaded retry-after=50s
---
match user "refuse"
status 401 authentication code=invalid_api_key
---
match user "cut"
text "This answer is as long as the limit"
finish length
---
match user "format"
reasoning "A short thought."
text
| # A heading
|
| A paragraph with *emphasis*, **strong words**, ` + "`code`" + `, a [link](https://example.com/path) and ` + longWord + `.
|
| - one
| - two
|   1. nested
|
| > A quotation.
|
| | Column | Another column | A third one | And a fourth |
| | --- | ---: | --- | --- |
| | a long cell that does not break well: ` + longWord + ` | 2 | three | four |
|
| ` + "```go" + `
| func main() { fmt.Println("a line of code that is much longer than any window is wide, so that it has to scroll on its own inside its box") }
| ` + "```" + `
finish stop
`

// longWord has no place to break.
const longWord = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"

// doors goes through the pages of a server that nobody owns yet, those before
// the first conversation and those for signing in, and calls at on each with
// its name.
func doors(s *server, p *page, at func(name string)) {
	p.t.Helper()
	p.allow("404|403|422|401") // the console names every page that refuses
	p.visit("/setup?token=wrong", http.StatusForbidden)
	at("setup-wrong-link")
	p.visit(s.SetupURL(), http.StatusOK)
	at("setup")
	p.fill("Your name", " ")
	p.fill("Email", adminEmail)
	p.fill("Password", adminPassword)
	p.press("Create the admin account")
	p.must(expect.Locator(p.Locator("[aria-invalid=true]").First()).ToBeVisible())
	at("setup-refused")
	setUp(p.t, s, p)
	p.visit("/welcome", http.StatusOK)
	at("welcome")
	p.visit("/settings/providers", http.StatusOK)
	at("providers-none")
	p.visit("/nowhere", http.StatusNotFound)
	at("not-found")
	p.visit("/settings/providers", http.StatusOK)
	p.openAccount()
	p.press("Sign out")
	p.must(expect.Page(p).ToHaveURL("/login"))
	at("login")
	p.fill("Email", "nobody@example.com")
	p.fill("Password", "a wrong password")
	p.press("Sign in")
	p.must(expect.Locator(p.Locator("[aria-invalid=true]").First()).ToBeVisible())
	at("login-refused")
	p.visit("/nowhere", http.StatusNotFound)
	at("not-found-signed-out")
}

// openAccount opens the menu of the account, and before it the sidebar where
// that is a popover.
func (p *page) openAccount() {
	p.t.Helper()
	hidden, err := p.Locator("#sidebar").IsHidden()
	p.must(err)
	if hidden {
		p.press("Menu")
		p.must(expect.Locator(p.Locator("#sidebar")).ToBeVisible())
	}
	p.must(p.Locator("[popovertarget=account]").Click())
	p.must(expect.Locator(p.Locator("#account")).ToBeVisible())
}

// tour goes through every page of a signed-in admin and every state of a
// conversation, and calls at on each with its name. The chat plays
// [tourScript].
func (c *chat) tour(at func(name string)) {
	c.t.Helper()
	c.allow("422|503")
	c.settings(at)
	c.visit("/", http.StatusOK)
	at("new")
	c.openAccount()
	at("account-menu")
	c.visit("/c?archived=true", http.StatusOK)
	at("conversations-none")
	c.drafts(at)
	c.cards(at)
	c.ends(at)
}

// say starts a conversation with one of the messages of the script.
func (c *chat) say(text, status string) {
	c.t.Helper()
	c.visit("/", http.StatusOK)
	c.start(text)
	c.awaitStatus(status)
}

func (c *chat) settings(at func(string)) {
	c.t.Helper()
	c.visit("/settings/providers/new?preset=custom", http.StatusOK)
	at("provider-new")
	connection{name: strings.Repeat("n", 200), baseURL: "ftp://example.com", model: "m"}.fillIn(c.page, "Save")
	c.must(expect.Locator(c.Locator("[aria-invalid=true]").First()).ToBeVisible())
	at("provider-refused")
	c.visit("/settings/providers/new?preset=custom", http.StatusOK)
	connection{name: "Somewhere else, with a rather long name", baseURL: "http://127.0.0.1:1/v1", private: true}.fillIn(c.page, "Save and test")
	c.wantText("#provider-test", "Nobody listens at the address")
	at("provider-tested")
	c.visit("/settings/providers", http.StatusOK)
	at("providers")
	c.visit("/settings/agents", http.StatusOK)
	at("agents")
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Assistant", Exact: playwright.Bool(true)}).Click())
	c.must(expect.Locator(c.GetByLabel("Instructions")).ToBeVisible())
	at("agent")
	c.must(c.GetByRole("link", playwright.PageGetByRoleOptions{Name: "Remove …", Exact: playwright.Bool(true)}).Click())
	c.wantText("main", "This is the only agent")
	at("agent-only")
	c.visit("/settings/agents/new", http.StatusOK)
	at("agent-new")
	c.visit("/settings/server", http.StatusOK)
	at("server")
	c.visit("/settings/keys", http.StatusOK)
	at("keys-none")
	c.visit("/settings/keys/new", http.StatusOK)
	at("key-new")
	c.fill("Name", strings.Repeat("n", 100))
	c.press("Create key")
	c.must(expect.Locator(c.Locator("[data-source]")).ToBeVisible())
	at("key-created")
	c.visit("/settings/keys", http.StatusOK)
	at("keys")
	c.must(c.GetByText("Revoke nnn").Click())
	at("key-revoke")
	c.visit("/help/api", http.StatusOK)
	at("reference")
}

func (c *chat) drafts(at func(string)) {
	c.t.Helper()
	c.visit("/", http.StatusOK)
	c.start("stream, and a message of two lines\nthat a person wrote")
	c.model.Reached("draft")
	c.must(expect.Locator(c.draft()).ToContainText("still plain text"))
	at("streaming")
	c.send("A message that waits until this run has ended, and is too long for one line of its list, so it is shortened there")
	c.send("Another one")
	c.must(expect.Locator(c.Locator("#queue li")).ToHaveCount(2))
	at("queue")
	c.must(c.Locator("#queue summary").First().Click())
	at("queue-edit")
	for left := 1; left >= 0; left-- {
		c.must(c.Locator("#queue [value=remove]").First().Click())
		c.must(expect.Locator(c.Locator("#queue li")).ToHaveCount(left))
	}
	c.press("Stop")
	c.awaitStatus(isStopped)
	at("stopped")
}

func (c *chat) cards(at func(string)) {
	c.t.Helper()
	c.say("sign", isWaiting)
	at("card")
	c.giveReason("Delete a note", "It is still needed.")
	at("card-reason")
	c.decide("Write a note", "Approve once")
	c.must(expect.Locator(c.decided()).ToHaveCount(1))
	at("card-half-decided")
	c.decide("Delete a note", "Deny")
	c.awaitStatus(isReady)
	at("decided")
	for _, fold := range []string{".card summary", ".tool summary"} {
		c.must(c.Locator(fold).First().Click())
	}
	at("decided-unfolded")
	c.questions(at)
	c.expireAfter("1s")
	c.say("expire", isReady)
	at("expired")
}

// questions shows questions, a grant and where it is listed.
func (c *chat) questions(at func(string)) {
	c.t.Helper()
	c.say("ask", isAsking)
	c.choose("07:30 in Edinburgh")
	c.choose("Everyone invited")
	at("question")
	c.answer("Send the answers")
	c.awaitStatus(isReady)
	at("question-answered")
	c.say("grant", isWaiting)
	at("card-grantable")
	c.decide("Write a note", "Allow for this conversation")
	c.awaitStatus(isReady)
	at("granted")
	c.must(c.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Details", Exact: playwright.Bool(true)}).Click())
	c.must(expect.Locator(c.Locator("#details-body .grants")).ToBeVisible())
	at("grants")
}

func (c *chat) ends(at func(string)) {
	c.t.Helper()
	c.visit("/", http.StatusOK)
	c.start("retry")
	c.wantText("#runs", "Attempt 3 of 3 starts in")
	at("retry-waits")
	c.press("Stop trying")
	c.awaitStatus(isStopped)
	c.say("refuse", isFailed)
	at("failed")
	c.say("cut", isReady)
	at("cut-off")
	c.say("format", isReady)
	at("formatted")
	c.must(c.Locator("summary", playwright.PageLocatorOptions{HasText: "Show as plain text"}).Click())
	c.must(c.Locator("summary", playwright.PageLocatorOptions{HasText: "Reasoning"}).First().Click())
	at("plain")
	conversation := strings.TrimPrefix(c.URL(), c.server.url)
	c.visit("/c", http.StatusOK)
	at("conversations")
	c.visit(conversation+"/delete", http.StatusOK)
	at("delete")
	c.visit("/settings/providers", http.StatusOK)
	c.press("Try it offline")
	c.must(expect.Locator(c.Locator(".starters")).ToBeVisible())
	at("new-practice")
	c.visit(conversation, http.StatusOK)
	c.must(c.Locator("#message").Fill(strings.Repeat("too long ", 15000)))
	c.must(c.Locator("#composer button[type=submit]").First().Click())
	c.must(expect.Locator(c.Locator("[data-toast]")).ToBeVisible())
	at("toast")
	c.must(c.Locator("#message").Fill(""))
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Stop()
	c.wantText("#connection", "Connection lost")
	at("connection-lost")
}
