package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

func TestAgentIsAdded(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if page := s.Admin.Get(views.AgentsURL); strings.Contains(page.Body, views.NewAgentURL) {
		t.Error("an agent is offered where there is no model")
	}
	s.Admin.Post(views.ProvidersURL, providerForm("Local", "http://127.0.0.1:1/v1"))
	first := onlyAgent(t, s)
	if page := s.Admin.Get(views.AgentsURL); !strings.Contains(page.Body, views.NewAgentURL) {
		t.Errorf("the list leads to no new agent\n%s", page.Body)
	}
	form := load(t, s.Admin, views.NewAgentURL).Forms(views.AgentsURL)
	if len(form) != 1 {
		t.Fatalf("got %d forms", len(form))
	}
	if diff := cmp.Diff([]string{"ask_user", "current_time", "notes_list", "notes_read"}, form[0].Values["tool"]); diff != "" {
		t.Errorf("ticked at first (-want +got):\n%s", diff)
	}
	page := s.Admin.Get(views.NewAgentURL).Body
	for _, want := range []string{"Writes a note in the notebook", "Waits for a countersignature.", "Runs by itself.", "Asks a person, and waits for the answer."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}

	model := first.Model.Provider + "/" + first.Model.Model
	typed := url.Values{
		"name": {"Letters"}, "instructions": {"Write letters."}, "model": {model}, "tool": {"notes_write"},
		"reasoning": {"on"}, "approval": {"90s"}, "model_calls": {"7"},
	}
	for name, c := range map[string]struct{ field, value, says string }{
		"no name":        {"name", "", "Enter a name"},
		"a taken name":   {"name", first.Name, "There is an agent of this name."},
		"a key":          {"instructions", "Use sk-ant-api03-" + strings.Repeat("Ab1", 12), "This looks like a key."},
		"no model":       {"model", "", "This model is not offered."},
		"an odd model":   {"model", "p_x/m", "This model is not offered."},
		"an odd tool":    {"tool", "rm_rf", "Choose from the tools that exist."},
		"a long wait":    {"approval", "999h", "Enter a time"},
		"too many calls": {"model_calls", "51", "Enter a whole number"},
	} {
		wrong := changed(typed, c.field, c.value)
		got := s.Admin.Post(views.AgentsURL, wrong)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, c.says) {
			t.Errorf("%s: got %d\n%s", name, got.Status, got.Body)
			continue
		}
		page, err := livepage.Parse(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		kept := page.Forms(views.AgentsURL)[0].Values
		for field, want := range wrong {
			// What is chosen from a list can't be what is not in it.
			if field != "model" && (field != "tool" || field != c.field) && !slices.Equal(kept[field], want) {
				t.Errorf("%s: %s is shown as %q, typed was %q", name, field, kept[field], want)
			}
		}
		if c.field != "model" && !strings.Contains(got.Body, `<option value="`+model+`" selected>`) {
			t.Errorf("%s: the model is not chosen any more", name)
		}
	}
	onlyAgent(t, s)

	s.Clock.Advance(time.Second) // agents are listed by age
	saved := s.Admin.Post(views.AgentsURL, typed)
	list, err := s.DB.Agents().List(t.Context())
	if err != nil || len(list) != 2 || saved.Location != views.AgentURL(list[1].ID) {
		t.Fatalf("%d, to %s; %d agents, %v", saved.Status, saved.Location, len(list), err)
	}
	want := agent.Agent{
		ID: list[1].ID, Name: "Letters", Instructions: "Write letters.", Model: first.Model, Tools: []string{"notes_write"},
		Output: agent.OutputOptions{Reasoning: true}, Limits: agent.Limits{ModelCalls: 7, Approval: 90e9},
	}
	if diff := cmp.Diff(want, list[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A removed agent's conversations can be read; nobody answers in them.
func TestAgentIsRemoved(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "call call_1 notes_write {\"title\":\"a\",\"text\":\"b\"}\nfinish tool_calls", setting{})
	first := onlyAgent(t, d.s)
	if got := d.s.Admin.Get(views.AgentDeleteURL(first.ID)); !strings.Contains(got.Body, "This is the only agent") || strings.Contains(got.Body, "Remove agent") {
		t.Errorf("the only agent can be removed\n%s", got.Body)
	}
	if got := d.s.Admin.Post(views.AgentDeleteURL(first.ID), nil); got.Status != http.StatusConflict {
		t.Errorf("the only agent: got %d", got.Status)
	}
	d.send("Note it.")
	d.until(agent.StatusWaitingApproval)
	if _, err := d.s.DB.Agents().Save(t.Context(), agent.Agent{Name: "Letters", Model: d.model}); err != nil {
		t.Fatal(err)
	}
	if got := d.s.Admin.Get(views.AgentDeleteURL(first.ID)); !strings.Contains(got.Body, "1 conversation uses it.") {
		t.Errorf("the page does not count the conversations\n%s", got.Body)
	}
	d.post(views.AgentDeleteURL(first.ID), nil)
	if got := d.s.Admin.Post(views.AgentDeleteURL(first.ID), nil); got.Status != http.StatusNotFound {
		t.Errorf("a second time: got %d", got.Status)
	}

	// What waits is answered; it runs nothing.
	d.decide("allow", "")
	d.until(agent.StatusFailed)
	if notes, err := d.s.DB.Notes().List(t.Context(), d.id); err != nil || len(notes) > 0 {
		t.Errorf("the tool of a removed agent ran: %v, %v", notes, err)
	}
	page := d.s.Admin.Get(d.url()).Body
	for _, want := range []string{"Note it.", "The agent of this conversation was removed", "Assistant was removed.", "Start a fresh conversation from here"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q\n%s", want, page)
		}
	}
	got := d.s.Admin.Post(views.MessagesURL(d.id), url.Values{"message_id": {"m_late"}, "text": {"And now?"}})
	if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "And now?") || !strings.Contains(got.Body, "was removed, so nobody would answer") {
		t.Errorf("a message: got %d\n%s", got.Status, got.Body)
	}
	if got := d.s.Member.Post(views.AgentDeleteURL(first.ID), nil); got.Status != http.StatusForbidden {
		t.Errorf("a member: got %d", got.Status)
	}
}

// Each message says whether drafts are shown, and the next one starts with the
// same choice.
func TestMessageHoldsDraftsBack(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Yes.\"\nfinish stop\n---\ntext \"No.\"\nfinish stop", setting{})
	ticked := func() bool {
		forms := load(t, d.s.Admin, d.url()).Forms(views.MessagesURL(d.id))
		return len(forms) == 1 && forms[0].Values.Get("buffer_attempts") == "on"
	}
	runs := func() []agent.OutputOptions {
		var list []agent.OutputOptions
		for rec, err := range d.s.DB.Journal().Read(t.Context(), d.id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := rec.Event.(agent.RunCreated); ok {
				list = append(list, e.Output)
			}
		}
		return list
	}
	d.send("First.")
	d.until(agent.StatusSucceeded)
	if ticked() {
		t.Error("the box is ticked at first")
	}
	d.post(views.MessagesURL(d.id), url.Values{"message_id": {"m_2"}, "text": {"Second."}, "buffer_attempts": {"on"}})
	d.until(agent.StatusSucceeded)
	if diff := cmp.Diff([]agent.OutputOptions{{}, {BufferAttempts: true}}, runs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !ticked() {
		t.Error("the next message does not start with the same choice")
	}
}
