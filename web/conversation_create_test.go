package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/views"
)

// A conversation is with the agent that was chosen, on that agent's model
// unless another one was. A choice that is gone costs nobody their words.
func TestNewConversationIsWithTheChosenAgent(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, "text \"Dear\"\nfinish stop", setting{})
	if page := d.s.Admin.Get(views.HomeURL).Body; strings.Contains(page, `name="agent"`) {
		t.Error("there is a choice of one agent")
	}
	letters, err := d.s.DB.Agents().Save(t.Context(), agent.Agent{Name: "Letters", Model: d.model})
	if err != nil {
		t.Fatal(err)
	}
	if page := d.s.Admin.Get(views.HomeURL).Body; !strings.Contains(page, `<option value="`+string(letters.ID)+`">Letters</option>`) {
		t.Errorf("Letters can't be chosen:\n%s", page)
	}
	form := url.Values{"message_id": {"m_1"}, "text": {"Write to Ann."}, "agent": {string(letters.ID)}, "model": {""}}
	for name, value := range map[string]string{"agent": "g_gone", "model": "p_gone/m"} {
		got := d.s.Admin.Post(views.ConversationsURL, changed(form, name, value))
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Write to Ann.") {
			t.Errorf("%s that is gone: %d, or the words are lost", name, got.Status)
		}
	}
	res := d.post(views.ConversationsURL, form)
	d.id = agent.ConversationID(res.Location[len(views.ConversationURL("")):])
	head, err := d.s.DB.Journal().Head(t.Context(), d.id)
	if err != nil || head.AgentName != "Letters" || head.Model != d.model {
		t.Errorf("the conversation is with %q on %+v, %v", head.AgentName, head.Model, err)
	}
	d.until(agent.StatusSucceeded)
}
