package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

func TestServerSettings(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "gate done\ntext \"Yes.\"\nfinish stop\n---\ntext \"Again.\"\nfinish stop", setting{})
	stored := func(want models.Settings) {
		t.Helper()
		if got, err := d.s.DB.Settings(t.Context()); err != nil || got != want {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	form := url.Values{"keep_days": {"90"}, "runs_per_person": {"1"}, "runs_per_provider": {""}, "queued_messages": {"1"}, "tool_call": {"1m 30s"}}
	saved := d.post(views.ServerURL, form)
	want := models.Settings{KeepDays: 90, Limits: agent.Bounds{PerPerson: 1, Queue: 1, ToolCall: 90 * time.Second}}
	stored(want)
	page := d.s.Admin.Follow(saved).Body
	for _, part := range []string{"Saved.", `name="keep_days" type="text" value="90"`, `value="1m30s"`} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q\n%s", part, page)
		}
	}
	for field, values := range map[string][]string{
		"keep_days": {"0", "-1", "3651", "soon", "1.5"}, "runs_per_person": {"0", "1001"}, "runs_per_provider": {"10001"},
		"queued_messages": {"51"}, "tool_call": {"5", "999ms", "61m"},
	} {
		for _, value := range values {
			got := d.s.Admin.Post(views.ServerURL, changed(form, field, value, "runs_per_provider", value))
			if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `value="`+value+`"`) {
				t.Errorf("%s %q: got %d, want 422 and what was typed", field, value, got.Status)
			}
		}
	}
	stored(want)
	if got := d.s.Member.Post(views.ServerURL, form); got.Status != http.StatusForbidden {
		t.Errorf("a member: got %d", got.Status)
	}

	// The limits count at once.
	d.send("First.")
	d.send("Second.")
	full := d.s.Admin.Post(views.MessagesURL(d.id), url.Values{"message_id": {"m_full"}, "text": {"Third."}})
	if full.Status != http.StatusUnprocessableEntity || !strings.Contains(full.Body, "No more messages can wait here; the limit is 1.") {
		t.Errorf("one message too many: got %d", full.Status)
	}
	d.up.Release("done")
	d.until(agent.StatusSucceeded) // the second run: it begins as the first ends
}

// The page says how many conversations are old enough to go.
func TestServerSettingsCountWhatGoes(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Yes.\"\nfinish stop", setting{})
	d.send("First.")
	d.until(agent.StatusSucceeded)
	shown := func() string { return d.s.Admin.Get(views.ServerURL).Body }
	d.s.Clock.Advance(25 * time.Hour)
	if strings.Contains(shown(), "old enough") {
		t.Error("something goes although nobody has asked for it")
	}
	d.post(views.ServerURL, url.Values{"keep_days": {"1"}})
	if !strings.Contains(shown(), "1 conversation is old enough now and will be deleted within a day.") {
		t.Errorf("the page does not say that one goes\n%s", shown())
	}
	if list := d.s.Member.Get(views.ConversationsURL).Body; !strings.Contains(list, "nobody has used for 1 day is deleted") {
		t.Errorf("people are not told\n%s", list)
	}
	if n, err := d.s.DB.Conversations().DeleteUnused(t.Context()); err != nil || n != 1 {
		t.Errorf("deleted %d, %v", n, err)
	}
	if got := d.s.Admin.Get(d.url()); got.Status != http.StatusNotFound {
		t.Errorf("the conversation: got %d", got.Status)
	}
}
