package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/providers/scripted/scriptedtest"
	"countersign/views"
)

// A conversation whose provider is gone leads to a new one that knows what was
// said.
func TestGoingOnInAFreshConversation(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"The door is *blue*.\"\nfinish stop", setting{})
	d.send("What colour is the door?")
	d.until(agent.StatusSucceeded)
	first := d.id
	if err := d.s.DB.Providers().Delete(t.Context(), d.model.Provider); err != nil {
		t.Fatal(err)
	}
	d.send("And the roof?")
	d.until(agent.StatusFailed)
	page := d.s.Admin.Get(d.url())
	if link := views.FromURL(first); !strings.Contains(page.Body, "was removed") || strings.Count(page.Body, link) != 2 {
		t.Fatalf("the page does not lead on with %s\n%s", link, page.Body)
	}

	next := scriptedtest.NewServer(t, "expect user \"And the roof?\"\ntext \"Red.\"\nfinish stop")
	ref := addModel(t, d.s, next.URL, agent.RetryPolicy{})
	start := d.s.Admin.Get(views.FromURL(first))
	if !strings.Contains(start.Body, `name="from" value="`+string(first)+`"`) || !strings.Contains(start.Body, "This goes on from") {
		t.Errorf("the page of a new conversation\n%s", start.Body)
	}
	form := url.Values{"message_id": {"m_next"}, "text": {"And the roof?"}, "model": {ref.Provider + "/" + ref.Model}, "from": {string(first)}}
	res := d.s.Admin.Post(views.ConversationsURL, form)
	if res.Status != http.StatusSeeOther {
		t.Fatalf("got %d\n%s", res.Status, res.Body)
	}
	d.id = agent.ConversationID(strings.TrimPrefix(res.Location, views.ConversationURL("")))
	d.until(agent.StatusSucceeded)
	page = d.s.Admin.Get(d.url())
	for _, want := range []string{"Goes on from an earlier conversation: 3 messages", "What colour is the door?", "<em>blue</em>", "Red."} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, page.Body)
		}
	}
	body := string(next.Sent()[0].Body)
	for _, want := range []string{"What colour is the door?", "The door is *blue*.", "And the roof?"} {
		if !strings.Contains(body, want) {
			t.Errorf("the request lacks %q\n%s", want, body)
		}
	}

	// Nobody goes on from what is not theirs.
	if got := d.s.Member.Get(views.FromURL(first)); got.Status != http.StatusNotFound {
		t.Errorf("another person's page: got %d, want 404", got.Status)
	}
	form.Set("message_id", "m_foreign")
	if got := d.s.Member.Post(views.ConversationsURL, form); got.Status != http.StatusNotFound {
		t.Errorf("another person's message: got %d, want 404", got.Status)
	}
}
