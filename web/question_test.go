package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/web/webtest"
)

const asksTwo = `
call c1 ask_user {"questions":[{"header":"Branch","question":"Which <b>branch</b>?","options":[{"label":"District 1\n\u202e"},{"label":"District 3"}]},{"header":"Notify","question":"Whom?","multi_select":true,"options":[{"label":"A"},{"label":"B"},{"label":"C"}]}]}
finish tool_calls
---
`

// question returns the form of the question that waits.
func (d *dialogue) question() (address string, form url.Values) {
	d.t.Helper()
	forms := load(d.t, d.s.Admin, d.url()).Forms("/questions/")
	if len(forms) != 1 {
		d.t.Fatalf("%d questions wait, want 1", len(forms))
	}
	return forms[0].Action, url.Values{"run": forms[0].Values["run"]}
}

func TestQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form url.Values
		told string
	}{
		"chosen":    {url.Values{"answer-0": {"0"}, "answer-1": {"0", "2"}}, "`{\"answers\":{\"Branch\":\"District 1\\n\u202e\",\"Notify\":[\"A\",\"C\"]}}`"},
		"own words": {url.Values{"answer-0": {"1"}, "answer-0-words": {" Mine,\r\nall of it. "}, "answer-1": {""}}, "`{\"answers\":{\"Branch\":\"Mine,\\nall of it.\",\"Notify\":\"(skipped)\"}}`"},
		"left out":  {url.Values{"answer-0": {""}}, "`{\"answers\":{\"Branch\":\"(skipped)\",\"Notify\":\"(skipped)\"}}`"},
		"skipped":   {url.Values{"answer-0": {"1"}, "answer-1": {"9"}, "do": {"skip"}}, "`{\"answers\":{\"Branch\":\"(skipped)\",\"Notify\":\"(skipped)\"}}`"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, asksTwo+"expect result "+c.told+"\ntext \"Well then.\"\nfinish stop", setting{})
			d.send("Where?")
			d.until(agent.StatusWaitingInput)
			address, form := d.question()
			for field, values := range c.form {
				form[field] = values
			}
			d.post(address, form)
			d.until(agent.StatusSucceeded)
			d.post(address, form) // the same again is no error
			form["answer-0-words"] = []string{"Otherwise."}
			form.Del("do")
			form.Del("answer-1")
			if got := d.s.Admin.Post(address, form); got.Status != http.StatusConflict {
				t.Errorf("another answer afterwards: got %d, want 409", got.Status)
			}
			if page := d.s.Admin.Get(d.url()); !strings.Contains(page.Body, "Answered") || strings.Contains(page.Body, "data-answers") {
				t.Error("the page does not say that it was answered")
			}
		})
	}
}

func TestQuestionRefusesWhatWasNotAsked(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, strings.TrimSuffix(asksTwo, "---\n"), setting{})
	d.send("Where?")
	d.until(agent.StatusWaitingInput)
	address, form := d.question()
	for name, c := range map[string]struct {
		field, value string
		status       int
	}{
		"no such option": {"answer-0", "2", http.StatusUnprocessableEntity},
		"below the list": {"answer-1", "-1", http.StatusUnprocessableEntity},
		"no number":      {"answer-0", "District 3", http.StatusUnprocessableEntity},
		"too long":       {"answer-0-words", strings.Repeat("ở", agent.MaxAnswer+1), http.StatusUnprocessableEntity},
		"another run":    {"run", "r_other", http.StatusNotFound},
	} {
		wrong := url.Values{"run": form["run"]}
		wrong.Set(c.field, c.value)
		if got := d.s.Admin.Post(address, wrong); got.Status != c.status {
			t.Errorf("%s: got %d, want %d", name, got.Status, c.status)
		}
	}
	twice := url.Values{"run": form["run"], "answer-0": {"0", "1"}}
	if got := d.s.Admin.Post(address, twice); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("two where one may be chosen: got %d, want 422", got.Status)
	}
	if got := d.s.Admin.Post(strings.Replace(address, "/i_", "/i_x", 1), form); got.Status != http.StatusNotFound {
		t.Errorf("another question: got %d, want 404", got.Status)
	}
	if got := d.s.Member.Post(address, form); got.Status != http.StatusNotFound {
		t.Errorf("somebody else: got %d, want 404", got.Status)
	}
	d.until(agent.StatusWaitingInput)
}

func TestQuestionIsAnsweredByAMessage(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, asksTwo+"expect result `{\"answer_in_own_words\":\"Ask <i>Ines</i>.\"}`\ntext \"Well then.\"\nfinish stop", setting{})
	d.send("Where?")
	d.until(agent.StatusWaitingInput)
	if page := d.s.Admin.Get(d.url()); !strings.Contains(page.Body, `placeholder="Or answer in your own words here"`) || !strings.Contains(page.Body, "<span>Answer</span>") {
		t.Error("the message box does not say that it answers")
	}
	d.send("Ask <i>Ines</i>.")
	d.until(agent.StatusSucceeded)
	page := d.s.Admin.Get(d.url())
	if !strings.Contains(page.Body, "“Ask &lt;i&gt;Ines&lt;/i&gt;.”") || !strings.Contains(page.Body, "with a message") || strings.Contains(page.Body, "<i>Ines") {
		t.Errorf("the page does not show the answer\n%s", page.Body)
	}
}

func TestGrantIsGivenAndRevoked(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, writeNote+"finish tool_calls\n---\n"+writeNote+"finish tool_calls\n---\ntext \"Done.\"\nfinish stop\n---\nmatch user \"Again\"\n"+
		writeNote+"finish tool_calls", setting{})
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	d.decide("conversation", "")
	d.until(agent.StatusSucceeded)
	page := load(t, d.s.Admin, d.url())
	forms := page.Forms("/grants/")
	if text := page.Normal(); len(forms) != 1 || !strings.Contains(text, "Approved for this conversation") || !strings.Contains(text, "allowed by the conversation grant of") {
		t.Fatalf("%d tools are allowed\n%s", len(forms), text)
	}
	if got := d.s.Member.Post(forms[0].Action, nil); got.Status != http.StatusNotFound {
		t.Errorf("somebody else: got %d, want 404", got.Status)
	}
	for range 2 { // it is no error to end it twice
		d.post(forms[0].Action, nil)
	}
	if forms := load(t, d.s.Admin, d.url()).Forms("/grants/"); len(forms) > 0 {
		t.Errorf("%d tools are still allowed", len(forms))
	}
	d.send("Again")
	d.until(agent.StatusWaitingApproval)
}

// A denial, and a call of a connector, can't be made a grant by a form of
// somebody's own.
func TestGrantIsRefused(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, writeNote+"finish tool_calls", setting{})
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	form := load(t, d.s.Admin, d.url()).Forms("/approvals/")[0]
	for _, decision := range []string{"", "always", "deny conversation"} {
		form.Values.Set("decision", decision)
		if got := d.s.Admin.Post(form.Action, form.Values); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("decision %q: got %d, want 422", decision, got.Status)
		}
	}
	form.Values.Set("decision", "conversation")
	if got := d.s.Member.Post(form.Action, form.Values); got.Status != http.StatusNotFound {
		t.Errorf("somebody else: got %d, want 404", got.Status)
	}
	d.until(agent.StatusWaitingApproval)
}

// What became of a call is put on record by the form of its card, which says
// what the model will be told.
func TestReconcileIsAnswered(t *testing.T) {
	t.Parallel()
	records := scenarioRecords(t)["crash_during_writing_tool_happened"]
	var before []agent.Record
	for _, r := range records {
		if r.Event.Kind() == "reconcile_answered" {
			break
		}
		before = append(before, r)
	}
	s := webtest.New(t)
	j := replayed{t: t, s: s, records: before}
	j.append(len(before))
	page := load(t, s.Admin, j.url())
	for _, answer := range []agent.ReconcileAnswer{agent.ReconcileHappened, agent.ReconcileNotHappened} {
		if !strings.Contains(page.Normal(), answer.Told()) {
			t.Errorf("the card lacks %q", answer.Told())
		}
	}
	forms := page.Forms("/reconcile/")
	if len(forms) != 1 {
		t.Fatalf("%d outcomes are unknown, want 1\n%s", len(forms), page.Normal())
	}
	form := url.Values{"run": forms[0].Values["run"], "answer": {"happened"}, "note": {"The gateway lists it."}}
	if got := s.Admin.Post(forms[0].Action, form); got.Status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", got.Status, got.Body)
	}
	form.Set("answer", "run_again")
	if got := s.Admin.Post(forms[0].Action, form); got.Status != http.StatusConflict {
		t.Errorf("another answer: got %d, want 409", got.Status)
	}
	body := s.Admin.Get(j.url()).Body
	for _, want := range []string{"Recorded: it was done", "The gateway lists it."} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if len(load(t, s.Admin, j.url()).Forms("/reconcile/")) > 0 {
		t.Error("the card still waits")
	}
}
