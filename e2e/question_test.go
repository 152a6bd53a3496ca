package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// questionCase is the case question-replayed-on-reload.
func questionCase(t *testing.T) (script string) {
	t.Helper()
	data, err := os.ReadFile("testdata/question-replayed-on-reload/input.json")
	if err != nil {
		t.Fatal(err)
	}
	var input struct {
		Call struct {
			Name      string
			Arguments json.RawMessage
		} `json:"model_call"`
	}
	if err := json.Unmarshal(data, &input); err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(string(input.Call.Arguments))
	if err != nil {
		t.Fatal(err)
	}
	return "call call_1 " + input.Call.Name + " " + string(arguments) + "\nfinish tool_calls\n---\n"
}

// questionForm is the form of the question that waits. It is there once the card
// takes answers: one that has just appeared takes none.
func (p *page) questionForm() playwright.Locator {
	return p.Locator("[data-card]:not([data-fresh]) form[data-answers]")
}

// choose ticks an option of the question that waits.
func (p *page) choose(label string) {
	p.t.Helper()
	p.must(p.questionForm().GetByLabel(label).Check())
}

// answer sends what was chosen.
func (p *page) answer(button string) {
	p.t.Helper()
	p.must(p.questionForm().GetByRole("button", playwright.LocatorGetByRoleOptions{Name: button}).Click())
}

// wantNoQuestion waits until no question waits.
func (p *page) wantNoQuestion() {
	p.t.Helper()
	p.must(expect.Locator(p.Locator("form[data-answers]")).ToHaveCount(0))
}

// TestQuestionReplayedOnReload is the case of that name: a question outlives
// the tab that it was pushed to, with its deadline, and is gone once answered.
func TestQuestionReplayedOnReload(t *testing.T) {
	t.Parallel()
	c := newChat(t, questionCase(t)+"expect result \"District 3\"\ntext \"District 3 it is.\"\nfinish stop")
	c.start("Book it")
	c.awaitStatus(isAsking)
	c.wantText("[data-card]", "Assistant is asking you", "Branch", "Which branch?", "Open until 22:00", "Open until 21:00")
	deadline := c.deadline()
	c.wantReload()
	if again := c.deadline(); !again.Equal(deadline) {
		t.Errorf("after a reload it expires at %v, was %v", again, deadline)
	}
	c.choose("District 3")
	c.answer("Send the answer")
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	c.wantText(".card.question", "Which branch?", "District 3", "Answered", adminName)
	c.must(expect.Locator(c.finished()).ToHaveText("District 3 it is."))
	c.wantReload()
	c.wantNoQuestion()
	c.server.wantFacts(map[string]int{"question_asked": 1, "question_answered": 1, "approval_requested": 0, "tool_call_started": 0, "tool_call_finished": 1})
}

// twoQuestions asks for one option, and for any.
const twoQuestions = `
call call_1 ask_user {"questions":[{"header":"Clock","question":"Which clock?","options":[{"label":"Edinburgh"},{"label":"Helsinki"}]},{"header":"Notify","question":"Who should be told?","multi_select":true,"options":[{"label":"Everyone"},{"label":"Depot leads"}]}]}
finish tool_calls
---
`

// What was chosen and typed, but not sent, is there after a reload and when the
// card is drawn anew, and only in this browser.
func TestHalfFilledAnswersAreKept(t *testing.T) {
	t.Parallel()
	c := newChat(t, twoQuestions+"expect result `{\"answers\":{\"Clock\":\"Helsinki\",\"Notify\":\"Only <b>Ines</b>\"}}`\ntext \"Done.\"\nfinish stop")
	c.start("Plan it")
	c.awaitStatus(isAsking)
	kept := func() {
		t.Helper()
		c.must(expect.Locator(c.questionForm().GetByLabel("Helsinki")).ToBeChecked())
		c.must(expect.Locator(c.questionForm().GetByLabel("Depot leads")).ToBeChecked())
		c.must(expect.Locator(c.questionForm().GetByLabel("Edinburgh")).Not().ToBeChecked())
		c.must(expect.Locator(c.questionForm().GetByLabel("In your own words").Last()).ToHaveValue("Only <b>Ines</b>"))
	}
	c.choose("Helsinki")
	c.choose("Depot leads")
	c.must(c.questionForm().GetByLabel("In your own words").Last().Fill("Only <b>Ines</b>"))
	kept()
	c.visit(c.URL(), http.StatusOK)
	kept()
	other := newPage(t, c.server.url)
	other.signIn(adminEmail, adminPassword)
	other.visit(c.URL(), http.StatusOK)
	other.must(expect.Locator(other.questionForm().GetByLabel("Helsinki")).Not().ToBeChecked())

	// The server comes back, and the page is brought up to date.
	c.allow("WebSocket|ERR_CONNECTION_REFUSED")
	other.allow("WebSocket|ERR_CONNECTION_REFUSED")
	c.server.Kill()
	c.wantText("#connection", "Connection lost")
	c.server.Restart()
	c.must(expectLate.Locator(c.Locator("#connection.is-back")).ToBeVisible())
	kept()

	c.answer("Send the answers")
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	other.wantNoQuestion()
	left, err := c.Evaluate(`() => Object.keys(localStorage).filter(k => k.includes('answers')).length`)
	c.must(err)
	if left != 0 {
		t.Errorf("%v half-filled answers are left behind", left)
	}
	c.wantText(".card.question", "Helsinki", "“Only <b>Ines</b>”")
}

// An answer in one tab closes the card in every other; a late one of a page
// that does not know is refused.
func TestQuestionAnsweredInAnotherTab(t *testing.T) {
	t.Parallel()
	c := newChat(t, twoQuestions+"expect result `{\"answers\":{\"Clock\":\"Edinburgh\",\"Notify\":[\"Everyone\",\"Depot leads\"]}}`\ntext \"Done.\"\nfinish stop")
	c.start("Plan it")
	c.awaitStatus(isAsking)
	other := c.join()
	still := newPage(t, c.server.url, noScript)
	still.allow("409")
	still.signIn(adminEmail, adminPassword)
	still.visit(strings.TrimPrefix(c.URL(), c.server.url), http.StatusOK)
	still.choose("Helsinki")

	other.choose("Edinburgh")
	other.choose("Everyone")
	other.choose("Depot leads")
	other.answer("Send the answers")
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	c.wantSame(other)
	c.wantText(".card.question", "Edinburgh", "Everyone", "Depot leads")

	still.answer("Send the answers")
	still.wantText("main", "Nothing waits for this any more")
	c.server.wantFacts(map[string]int{"question_answered": 1})
}

// A message answers when a question alone is open, and is no message of its own.
func TestQuestionAnsweredByMessage(t *testing.T) {
	t.Parallel()
	c := newChat(t, twoQuestions+"expect result `{\"answer_in_own_words\":\"Ask Ines, she knows.\"}`\ntext \"I will.\"\nfinish stop\n---\nexpect user \"Thanks\"\ntext \"Gladly.\"\nfinish stop")
	c.start("Plan it")
	c.awaitStatus(isAsking)
	c.must(expect.Locator(c.Locator("#message")).ToHaveAttribute("placeholder", "Or answer in your own words here"))
	c.send("Ask Ines, she knows.")
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	c.wantText(".card.question", "“Ask Ines, she knows.”", "with a message")
	c.must(expect.Locator(c.Locator(".entry--person")).ToHaveCount(1))
	c.must(expect.Locator(c.Locator("#message")).ToHaveAttribute("placeholder", "Write a message"))
	c.wantReload()
	c.send("Thanks")
	c.must(expect.Locator(c.finished()).ToHaveText([]string{"I will.", "Gladly."}))
}

// A question that nobody answers in time closes by itself, with the page open.
func TestQuestionExpires(t *testing.T) {
	t.Parallel()
	c := newChat(t, twoQuestions+"expect result \"Nobody answered in time\"\ntext \"I go on.\"\nfinish stop")
	c.setLimit("A question waits for", "4s")
	late := c.server.signIn()
	c.start("Plan it")
	c.awaitStatus(isAsking)
	path, form := c.cardForm()
	c.must(expectLate.Locator(c.Locator(".card.question.is-decided")).ToContainText("Expired"))
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	form.Set("answer-0", "0")
	if status, body, err := late.post(path, form); status != http.StatusConflict || err != nil {
		t.Errorf("too late: got %d, %v\n%s", status, err, body)
	}
	c.must(expect.Locator(c.finished()).ToHaveText("I go on."))
	c.wantReload()
}

// Stopping the run withdraws its question.
func TestQuestionIsWithdrawn(t *testing.T) {
	t.Parallel()
	c := newChat(t, strings.TrimSuffix(twoQuestions, "---\n"))
	c.start("Plan it")
	c.awaitStatus(isAsking)
	c.press("Stop")
	c.awaitStatus(isStopped)
	c.wantNoQuestion()
	c.wantText(".card.question", "Withdrawn", "the run was stopped")
	c.wantReload()
}

// Questions are answered with the keyboard alone: the skip link leads to the
// card, arrows choose, space ticks.
func TestQuestionByKeyboard(t *testing.T) {
	t.Parallel()
	c := newChat(t, "gate loaded"+twoQuestions+"expect result `{\"answers\":{\"Clock\":\"Helsinki\",\"Notify\":[\"Everyone\"]}}`\ntext \"Done.\"\nfinish stop")
	c.start("Plan it")
	c.awaitStatus(isWorking) // a page that is loaded with the card needs no announcement
	c.model.Release("loaded")
	c.awaitStatus(isAsking)
	c.must(expect.Locator(c.Locator("#announce")).ToHaveText("Assistant is asking you 2 questions."))
	c.must(expect.Locator(c.questionForm()).ToBeVisible())
	c.must(c.Locator("#skip-to-card").Focus())
	keys := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			c.must(c.Keyboard().Press(key))
		}
	}
	keys("Enter", "Tab")
	focused := c.questionForm().GetByLabel("No choice")
	c.must(expect.Locator(focused).ToBeFocused())
	keys("ArrowUp")
	c.must(expect.Locator(c.questionForm().GetByLabel("Helsinki")).ToBeChecked())
	keys("Tab", "Tab", "Space") // past the own words, to the first box
	c.must(expect.Locator(c.questionForm().GetByLabel("Everyone")).ToBeChecked())
	keys("Tab", "Tab", "Tab", "Enter") // past the second box and the own words
	c.awaitStatus(isReady)
	c.wantNoQuestion()
	c.must(expect.Locator(c.Locator("#announce")).ToHaveText("The answer is complete."))
}

// A page without script answers too.
func TestQuestionWithoutScript(t *testing.T) {
	t.Parallel()
	c := newChat(t, twoQuestions+"expect result `{\"answers\":{\"Clock\":\"Helsinki\",\"Notify\":\"(skipped)\"}}`\ntext \"Done.\"\nfinish stop", noScript)
	c.start("Plan it")
	c.until("the question is there", func() bool {
		c.visit(c.URL(), http.StatusOK)
		n, err := c.questionForm().Count()
		c.must(err)
		return n == 1
	})
	c.choose("Helsinki")
	c.answer("Send the answers")
	c.wantText(".card.question", "Helsinki", "Skipped.")
}

// Labels of a model are text, and show what would not be seen.
func TestQuestionIsInert(t *testing.T) {
	t.Parallel()
	const label = `<img src=x onerror=alert(1)>`
	c := newChat(t, `
call call_1 ask_user {"questions":[{"header":"<b>H</b>","question":"`+"\u202e"+`Which?`+longWord+`","options":[{"label":"`+label+`","description":"</label><script>"},{"label":"`+longWord+`"}]}]}
finish tool_calls
---
expect result "<img"
text "Done."
finish stop`, narrow)
	c.start("Go")
	c.awaitStatus(isAsking)
	c.wantText("[data-card]", "<b>H</b>", "U+202E", label, "</label><script>")
	c.must(expect.Locator(c.Locator("[data-card] img, [data-card] script")).ToHaveCount(0))
	if c.overflows() {
		t.Error("the card is wider than a window of 320 pixels")
	}
	c.wantAccessible()
	c.choose(label)
	c.answer("Send the answer")
	c.awaitStatus(isReady)
	c.wantText(".card.question.is-decided", label)
	if c.overflows() {
		t.Error("the answered card is wider than a window of 320 pixels")
	}
}

// What was chosen and typed stays when the server draws the card anew, also
// where the browser keeps nothing.
func TestAnswersSurviveANewCard(t *testing.T) {
	t.Parallel()
	c := newChat(t, strings.TrimSuffix(twoQuestions, "---\n"))
	sockets := make(chan playwright.WebSocketRoute, 1)
	c.must(c.RouteWebSocket("**/live", func(ws playwright.WebSocketRoute) {
		if _, err := ws.ConnectToServer(); err == nil {
			sockets <- ws
		}
	}))
	c.start("Plan it")
	c.awaitStatus(isAsking)
	c.choose("Helsinki")
	c.choose("Depot leads")
	words := c.questionForm().GetByLabel("In your own words").First()
	c.must(words.Fill("Both"))
	html, err := c.Evaluate(`() => {
		localStorage.clear();
		const entry = document.querySelector("form[data-answers]").closest("li");
		entry.dataset.old = "";
		const fresh = entry.cloneNode(true);
		delete fresh.dataset.old;
		return fresh.outerHTML;
	}`)
	c.must(err)
	(<-sockets).Send(`<template data-op="put" data-in="none">` + html.(string) + `</template>`)
	c.must(expect.Locator(c.Locator("[data-old]")).ToHaveCount(0))
	c.must(expect.Locator(c.questionForm().GetByLabel("Helsinki")).ToBeChecked())
	c.must(expect.Locator(c.questionForm().GetByLabel("Depot leads")).ToBeChecked())
	c.must(expect.Locator(words).ToHaveValue("Both"))
	c.must(expect.Locator(words).ToBeFocused())
}
