package web_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/webtest"
)

// attempts returns the attempts that committed a text, oldest first.
func (d *dialogue) attempts() (list []agent.AttemptID) {
	d.t.Helper()
	for r, err := range d.s.DB.Journal().Read(d.t.Context(), d.id, 0) {
		if err != nil {
			d.t.Fatal(err)
		}
		if e, ok := r.Event.(agent.AssistantMessage); ok {
			list = append(list, e.Attempt)
		}
	}
	return list
}

// answerURL is spelled out: pages link to it.
func (d *dialogue) answerURL(attempt agent.AttemptID) string {
	return d.url() + "/answers/" + string(attempt)
}

// An answer that a page cuts short can be had whole, by its owner, as a file
// that no browser takes for a page.
func TestAnswerIsWhole(t *testing.T) {
	t.Parallel()
	line := "<script>alert(1)</script> " + strings.Repeat("kilobyte ", 111)
	d := newDialogue(t, `repeat 300 text "`+line+"\\n\"\nfinish stop", setting{})
	d.send("Write much.")
	d.until(agent.StatusSucceeded)
	attempt := d.attempts()[0]
	got := d.s.Admin.Get(d.answerURL(attempt))
	if got.Status != http.StatusOK || got.Body != strings.Repeat(line+"\n", 300) {
		t.Errorf("got %d and %d bytes, want %d", got.Status, len(got.Body), 300*len(line+"\n"))
	}
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff",
		"Content-Disposition": `attachment; filename="answer.txt"`, "Cache-Control": "no-store",
	} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := d.s.Member.Get(d.answerURL(attempt)); got.Status != http.StatusNotFound {
		t.Errorf("somebody else: got %d, want 404", got.Status)
	}
	if got := d.s.Admin.Get(d.answerURL("a_none")); got.Status != http.StatusNotFound {
		t.Errorf("an attempt that is none: got %d, want 404", got.Status)
	}
}

// The answer is to be had as long as the page shows it: not any more when its
// run was stopped, or rewound.
func TestWithdrawnAnswerIsGone(t *testing.T) {
	t.Parallel()
	status := func(d *dialogue, c *webtest.Client) int { return c.Get(d.answerURL(d.attempts()[0])).Status }

	waits := newDialogue(t, "text \"I will write.\"\n"+writing, setting{})
	waits.send("Write it down.")
	waits.until(agent.StatusWaitingApproval)
	if got := status(waits, waits.s.Admin); got != http.StatusOK {
		t.Errorf("while its run waits: got %d, want 200", got)
	}
	waits.stop()
	if got := status(waits, waits.s.Admin); got != http.StatusNotFound {
		t.Errorf("of a stopped run: got %d, want 404", got)
	}

	d := answered(t)
	rewind(t, d.s.DB, d.id)
	if got := status(d, d.s.Admin); got != http.StatusNotFound {
		t.Errorf("of a rewound run: got %d, want 404", got)
	}
}

// rewind takes back the first run of a conversation.
func rewind(t *testing.T, db *models.DB, id agent.ConversationID) {
	t.Helper()
	runs, err := db.Conversations().Runs(t.Context(), id, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	head, err := db.Journal().Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Journal().Append(t.Context(), agent.Batch{
		Conversation: id, After: head.Seq, At: head.UpdatedAt,
		Entries: []agent.Entry{{Event: agent.Rewound{To: runs[0].FirstSeq - 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A result that a page cuts short can be had whole in the same way, and as a
// fragment, escaped, in its place on the page.
func TestResultIsWhole(t *testing.T) {
	t.Parallel()
	text := "<b>first</b>" + strings.Repeat(" and more", 2000)
	d := newDialogue(t, `call c1 notes_write {"title":"Long","text":"`+text+`"}
finish tool_calls
---
call c2 notes_read {"title":"Long"}
finish tool_calls
---
text "Done."
finish stop`, setting{})
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	d.decide("allow", "")
	d.until(agent.StatusSucceeded)
	page := d.s.Admin.Get(d.url()).Body
	_, at, ok := strings.Cut(page, `hx-get="`+d.url()+"/results/")
	if !ok {
		t.Fatal("the page does not lead to the whole result")
	}
	call, _, _ := strings.Cut(at, `"`)
	address := d.url() + "/results/" + call
	got := d.s.Admin.Get(address)
	if got.Status != http.StatusOK || !strings.Contains(got.Body, text) {
		t.Errorf("as a file: got %d and %d bytes, want all of the result", got.Status, len(got.Body))
	}
	if got := got.Header.Get("Content-Disposition"); got != `attachment; filename="result.txt"` {
		t.Errorf("as a file: %q", got)
	}
	r := d.s.Admin.Request(http.MethodGet, address, nil)
	r.Header.Set("HX-Request", "true")
	fragment := d.s.Admin.Do(r).Body
	if !strings.Contains(fragment, html.EscapeString(text)) || strings.Contains(fragment, "<html") {
		t.Errorf("as a fragment: %.200q", fragment)
	}
	for name, got := range map[string]webtest.Response{
		"somebody else": d.s.Member.Get(address), "a call that is none": d.s.Admin.Get(d.url() + "/results/t_none"),
	} {
		if got.Status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", name, got.Status)
		}
	}
}
