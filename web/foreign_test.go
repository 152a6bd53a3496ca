package web_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
	"countersign/web/webtest"
)

// TestForeignLooksLikeUnknown replays the case sec-foreign-run-id: whatever
// somebody else asks of a conversation is answered as if it did not exist.
func TestForeignLooksLikeUnknown(t *testing.T) {
	t.Parallel()
	var input struct{ Requests []string }
	text, err := os.ReadFile("testdata/sec-foreign-run-id/input.json")
	if err == nil {
		err = json.Unmarshal(text, &input)
	}
	if err != nil || len(input.Requests) == 0 {
		t.Fatalf("the case can't be read: %v", err)
	}
	d := newDialogue(t, writeNote+"finish tool_calls\n---\ntext \"Done.\"\nfinish stop", setting{})
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	card := load(t, d.s.Admin, d.url()).Forms("/approvals/")[0]
	before, err := d.s.DB.Journal().Head(t.Context(), d.id)
	if err != nil {
		t.Fatal(err)
	}

	get := func(path string) func(string) webtest.Response {
		return func(conversation string) webtest.Response { return d.s.Member.Get(conversation + path) }
	}
	post := func(path string, form url.Values) func(string) webtest.Response {
		return func(conversation string) webtest.Response { return d.s.Member.Post(conversation+path, form) }
	}
	subscribe := func(conversation string) webtest.Response {
		r := d.s.Member.Request(http.MethodGet, conversation+"/live", nil)
		r.Header.Set("Origin", d.s.URL)
		return d.s.Member.Do(r)
	}
	run := string(d.run().Run)
	requests := map[string]func(conversation string) webtest.Response{
		"GET stream of alice's run":                   subscribe,
		"WebSocket subscribe to alice's conversation": subscribe,
		"GET alice's conversation":                    get(""),
		"GET attachment of alice's message":           get("/attachments/a_1"),
		"POST approval of alice's waiting run":        post(strings.TrimPrefix(card.Action, d.url()), changed(card.Values, "decision", "allow")),
		"POST answer":                                 post("/questions/i_1", url.Values{"run": {run}, "answer-0": {"0"}}),
		"POST cancel":                                 post("/stop", url.Values{"run": {run}}),
		"POST message to alice's conversation":        post("/messages", url.Values{"message_id": {"m_x"}, "text": {"Hello"}}),
	}
	for _, name := range input.Requests {
		ask, ok := requests[name]
		if !ok {
			t.Errorf("nothing is asked for %q", name)
			continue
		}
		foreign, unknown := ask(d.url()), ask(views.ConversationURL("c_none"))
		if foreign.Status != http.StatusNotFound || foreign.Status != unknown.Status || foreign.Body != unknown.Body {
			t.Errorf("%s: a foreign one is answered with %d, an unknown one with %d\n%s\n%s", name, foreign.Status, unknown.Status, foreign.Body, unknown.Body)
		}
	}
	after, err := d.s.DB.Journal().Head(t.Context(), d.id)
	if err != nil || after.Seq != before.Seq {
		t.Errorf("the journal went from %d to %d, %v", before.Seq, after.Seq, err)
	}
	d.post(card.Action, changed(card.Values, "decision", "allow"))
	d.until(agent.StatusSucceeded)
}
