package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// background sends a form as htmx does.
func background(t *testing.T, c *webtest.Client, address string, form url.Values) webtest.Response {
	t.Helper()
	r := c.Request(http.MethodPost, address, form)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("HX-Request", "true")
	return c.Do(r)
}

// attempts sends a form by both ways and checks the status of each: without
// script a whole page says what is wrong, in the background a toast does.
func attempts(t *testing.T, name string, c *webtest.Client, address string, form url.Values, want int) {
	t.Helper()
	if got := c.Post(address, form); got.Status != want || want >= 400 && !strings.Contains(got.Body, "<!doctype html>") {
		t.Errorf("%s, without script: got %d, want %d\n%s", name, got.Status, want, got.Body)
	}
	toast := background(t, c, address, form)
	if want == http.StatusSeeOther {
		want = http.StatusNoContent
	}
	if toast.Status != want || want >= 400 && (strings.Contains(toast.Body, "<html") || !strings.Contains(toast.Body, "toast")) {
		t.Errorf("%s, in the background: got %d, want %d\n%s", name, toast.Status, want, toast.Body)
	}
}

// changed returns a copy of a form with other values.
func changed(form url.Values, pairs ...string) url.Values {
	other := url.Values{}
	for name, values := range form {
		other[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		other.Set(pairs[i], pairs[i+1])
	}
	return other
}

func TestFormsOfACard(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, writeNote+"finish tool_calls\n---\ntext \"Done.\"\nfinish stop", setting{})
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	form := load(t, d.s.Admin, d.url()).Forms("/approvals/")[0]
	allow := changed(form.Values, "decision", "allow")
	address := form.Action
	for _, c := range []struct {
		name    string
		as      *webtest.Client
		address string
		form    url.Values
		want    int
	}{
		{"by somebody else", d.s.Member, address, allow, http.StatusNotFound},
		{"of no conversation", d.s.Admin, strings.Replace(address, string(d.id), "c_none", 1), allow, http.StatusNotFound},
		{"of no card", d.s.Admin, views.ApprovalURL(d.id, "i_none"), allow, http.StatusConflict},
		{"of no run", d.s.Admin, address, changed(allow, "run", "r_none"), http.StatusNotFound},
		{"of no call", d.s.Admin, address, changed(allow, "call", "t_none"), http.StatusConflict},
		{"without a call", d.s.Admin, address, changed(allow, "call", ""), http.StatusConflict},
		{"on something else", d.s.Admin, address, changed(allow, "binding", "something else"), http.StatusConflict},
		{"without a binding", d.s.Admin, address, changed(allow, "binding", ""), http.StatusConflict},
		{"without a verdict", d.s.Admin, address, form.Values, http.StatusUnprocessableEntity},
		{"of another verdict", d.s.Admin, address, changed(allow, "decision", "unsure"), http.StatusUnprocessableEntity},
		{"with a reason too long", d.s.Admin, address, changed(allow, "reason", strings.Repeat("é", 513)), http.StatusUnprocessableEntity},
		{"that is right", d.s.Admin, address, allow, http.StatusSeeOther},
		{"that comes too late", d.s.Admin, address, changed(allow, "decision", "deny"), http.StatusConflict},
	} {
		attempts(t, "a decision "+c.name, c.as, c.address, c.form, c.want)
	}
	d.until(agent.StatusSucceeded)
	attempts(t, "the same decision again", d.s.Admin, address, allow, http.StatusSeeOther)
}

func TestFormsOfARun(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Hel\"\ngate half\nfinish stop", setting{})
	d.send("Say hello.")
	d.up.Reached("half")
	stop, messages := views.StopURL(d.id), views.MessagesURL(d.id)
	run := url.Values{"run": {string(d.run().Run)}}
	next := url.Values{"message_id": {"m_next"}, "text": {"Next."}}
	for _, c := range []struct {
		name    string
		as      *webtest.Client
		address string
		form    url.Values
		want    int
	}{
		{"a message by somebody else", d.s.Member, messages, next, http.StatusNotFound},
		{"a message without text", d.s.Admin, messages, changed(next, "text", " \n"), http.StatusUnprocessableEntity},
		{"a message without an id", d.s.Admin, messages, changed(next, "message_id", ""), http.StatusUnprocessableEntity},
		{"a message", d.s.Admin, messages, next, http.StatusSeeOther},
		{"an edit by somebody else", d.s.Member, views.QueuedURL(d.id, "m_next"), next, http.StatusNotFound},
		{"an edit without text", d.s.Admin, views.QueuedURL(d.id, "m_next"), changed(next, "text", ""), http.StatusUnprocessableEntity},
		{"an edit", d.s.Admin, views.QueuedURL(d.id, "m_next"), changed(next, "text", "Other."), http.StatusSeeOther},
		{"a removal", d.s.Admin, views.QueuedURL(d.id, "m_next"), url.Values{"do": {"remove"}}, 0},
		{"an edit of what is gone", d.s.Admin, views.QueuedURL(d.id, "m_next"), next, http.StatusUnprocessableEntity},
		{"a stop by somebody else", d.s.Member, stop, run, http.StatusNotFound},
		{"a stop of no run", d.s.Admin, stop, url.Values{"run": {"r_none"}}, http.StatusNotFound},
		{"a stop without a run", d.s.Admin, stop, url.Values{}, http.StatusNotFound},
		{"a stop", d.s.Admin, stop, run, http.StatusSeeOther},
	} {
		if c.want == 0 { // what can be done once only
			d.post(c.address, c.form)
			continue
		}
		attempts(t, c.name, c.as, c.address, c.form, c.want)
	}
	d.until(agent.StatusCancelled)
	if h, err := d.s.DB.Journal().Head(t.Context(), d.id); err != nil || len(h.Queue) != 0 {
		t.Errorf("got the queue %v, %v; want none", h.Queue, err)
	}
}

// What a stopped run left behind is sent when its person says so.
func TestFormOfTheQueue(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "gate half\nhang\n---\nexpect user \"Next.\"\ntext \"Late.\"\nfinish stop", setting{})
	d.send("Say hello.")
	d.up.Reached("half")
	d.post(views.MessagesURL(d.id), url.Values{"message_id": {"m_next"}, "text": {"Next."}})
	d.post(views.StopURL(d.id), url.Values{"run": {string(d.run().Run)}})
	d.until(agent.StatusCancelled)
	queue := views.ConversationURL(d.id) + "/queue"
	attempts(t, "somebody else", d.s.Member, queue, url.Values{}, http.StatusNotFound)
	attempts(t, "its person", d.s.Admin, queue, url.Values{}, http.StatusSeeOther)
	d.until(agent.StatusSucceeded)
}

func TestFormsOfAReconciliation(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	j := replayed{t: t, s: s, records: scenarioRecords(t)["crash_during_writing_tool_happened"]}
	for !j.done() {
		j.append(1)
		if w, ok := j.records[j.at-1].Event.(agent.RunWaiting); ok && w.For == agent.StatusWaitingInput {
			break
		}
	}
	forms := load(t, s.Admin, j.url()).Forms("/reconcile/")
	if len(forms) != 1 {
		t.Fatalf("got %d forms, want one", len(forms))
	}
	address := forms[0].Action
	happened := changed(forms[0].Values, "answer", "happened", "note", "I looked.")
	attempts(t, "an answer by somebody else", s.Member, address, happened, http.StatusNotFound)
	attempts(t, "no answer", s.Admin, address, changed(happened, "answer", ""), http.StatusUnprocessableEntity)
	attempts(t, "an answer with a note too long", s.Admin, address, changed(happened, "note", strings.Repeat("é", 513)), http.StatusUnprocessableEntity)
	attempts(t, "an answer to no question", s.Admin, address+"x", happened, http.StatusConflict)
	attempts(t, "an answer", s.Admin, address, happened, http.StatusSeeOther)
	attempts(t, "another answer", s.Admin, address, changed(happened, "answer", "not_happened"), http.StatusConflict)
}

func TestMessageTooLongIsNotLost(t *testing.T) {
	t.Parallel()
	d := answered(t)
	text := "Begin\n" + strings.Repeat("x", agent.MaxMessage) + " end"
	form := url.Values{"message_id": {"m_long"}, "text": {text}, "reasoning": {"on"}, "model": {d.model.Provider + "/" + d.model.Model}}
	for _, address := range []string{views.MessagesURL(d.id), views.ConversationsURL} {
		res := d.s.Admin.Post(address, form)
		if res.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: got %d, want 422", address, res.Status)
		}
		page, err := livepage.Parse(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		again := page.Forms(address)[0].Values
		if again.Get("text") != text || again.Get("reasoning") != "on" || !strings.Contains(page.Text("composer-error"), "128 KB") {
			t.Errorf("%s: the page kept %d of %d bytes, reasoning %q, and says %q", address,
				len(again.Get("text")), len(text), again.Get("reasoning"), page.Text("composer-error"))
		}
		if again.Get("message_id") == "m_long" {
			t.Errorf("%s: the refused message's id is used again", address)
		}
	}
	toast := background(t, d.s.Admin, views.MessagesURL(d.id), form)
	if toast.Status != http.StatusUnprocessableEntity || !strings.Contains(toast.Body, "128 KB") {
		t.Errorf("in the background: got %d\n%s", toast.Status, toast.Body)
	}
}

// written puts a conversation of many answered messages into the journal.
func written(t testing.TB, s *webtest.Server, runs int) agent.ConversationID {
	t.Helper()
	owner := userID(t, s, webtest.AdminEmail)
	b := agent.Batch{Conversation: agent.ConversationFor(owner, agent.MessageID(fmt.Sprint("m_", runs))), At: s.Clock.Now()}
	for _, e := range []agent.Event{
		agent.ConversationCreated{Owner: owner, AgentName: "Assistant"}, agent.ConversationTitled{Title: "Long"},
	} {
		b.Entries = append(b.Entries, agent.Entry{Event: e})
	}
	if _, err := s.DB.Journal().Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	extend(t, s, b.Conversation, 0, runs)
	return b.Conversation
}

// extend adds the answered messages from one number to before another.
func extend(t testing.TB, s *webtest.Server, id agent.ConversationID, from, to int) {
	t.Helper()
	h, err := s.DB.Journal().Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	b := agent.Batch{Conversation: id, After: h.Seq, At: s.Clock.Now()}
	for i := from; i < to; i++ {
		message := agent.MessageID(fmt.Sprint("m_", i))
		run := agent.RunFor(id, message)
		attempt := agent.AttemptID(fmt.Sprintf("a_%s_%d", id, i))
		for _, e := range []agent.Event{
			agent.UserMessage{Message: message, Text: fmt.Sprintf("Question %05d.", i)},
			agent.RunCreated{Message: message, AgentName: "Assistant"}, agent.RunStarted{Epoch: 1},
			agent.ModelAttemptStarted{Attempt: attempt, Step: 1, Number: 1, Of: 1},
			agent.ModelAttemptFinished{Attempt: attempt, Outcome: agent.AttemptCompleted},
			agent.AssistantMessage{Attempt: attempt, Text: fmt.Sprintf("Answer %05d.", i)},
			agent.RunFinished{Status: agent.StatusSucceeded, Answer: attempt},
		} {
			b.Entries = append(b.Entries, agent.Entry{Run: run, Event: e})
		}
		if len(b.Entries) < 500 && i < to-1 {
			continue
		}
		if _, err := s.DB.Journal().Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		b.After, b.Entries = b.After+agent.Seq(len(b.Entries)), nil
	}
}

// A page that comes back after much has happened is drawn anew, with the way
// to what is not on it any more.
func TestPageFarBehindIsDrawnAnew(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, before := range []int{5, 30} { // all on the page, or not
		id := written(t, s, before)
		page := load(t, s.Admin, views.ConversationURL(id))
		extend(t, s, id, before, before+100)
		want := load(t, s.Admin, views.ConversationURL(id)).Normal()
		tab := connect(t, s, s.Admin, page)
		if err := tab.Until(within, func(p *livepage.Page) bool { return tab.Frames > 0 }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tab.Normal()); diff != "" {
			t.Errorf("from %d runs on (-loaded +followed):\n%s", before, diff)
		}
	}
}

func TestEarlierRunsAreReadPageByPage(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	id := written(t, s, 45)
	address, shown := views.ConversationURL(id), 45
	for _, want := range []int{20, 20, 5} {
		res := s.Admin.Get(address)
		for i := range 45 {
			if got, want := strings.Contains(res.Body, fmt.Sprintf("Answer %05d.", i)), i < shown && i >= shown-want; got != want {
				t.Errorf("%s: run %d is shown: %v, want %v", address, i, got, want)
			}
		}
		if first := shown == 45; strings.Contains(res.Body, "data-live") != first || strings.Contains(res.Body, "data-composer") != first {
			t.Errorf("%s: a page is live and takes messages if it shows the newest runs, and only then", address)
		}
		shown -= want
		_, rest, more := strings.Cut(res.Body, `href="`+views.ConversationURL(id)+"?before=")
		if more != (shown > 0) {
			t.Errorf("%s: leads to earlier runs: %v, want %v", address, more, shown > 0)
		}
		before, _, _ := strings.Cut(rest, `"`)
		address = views.ConversationURL(id) + "?before=" + before
	}
	for _, before := range []string{"0", "-1", "x", "99999999999999999999"} {
		if got := s.Admin.Get(views.ConversationURL(id) + "?before=" + before); got.Status != http.StatusNotFound {
			t.Errorf("before=%s: got %d, want 404", before, got.Status)
		}
	}
}

// A page costs the same however long its conversation is. It is not parallel:
// it counts allocations.
func TestLongConversationsOpenAtTheSameCost(t *testing.T) {
	s := webtest.New(t)
	opening := func(runs int) float64 {
		page := load(t, s.Admin, views.ConversationURL(written(t, s, runs)))
		return testing.AllocsPerRun(5, func() {
			tab := open(t, s, s.Admin, strings.TrimSuffix(page.Live(), "/live"))
			if err := tab.Until(within, func(*livepage.Page) bool { return tab.Frames > 0 }); err != nil {
				t.Fatal(err)
			}
			tab.Close()
		})
	}
	if short, long := opening(30), opening(2000); long > 1.1*short {
		t.Errorf("a conversation of 30 runs opens with %.0f allocations, one of 2,000 with %.0f", short, long)
	}
}
