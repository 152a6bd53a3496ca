package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/web/webtest"
)

func onlyAgent(t *testing.T, s *webtest.Server) agent.Agent {
	t.Helper()
	list, err := s.DB.Agents().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("got %d agents, %v; want 1", len(list), err)
	}
	return list[0]
}

func TestAgentIsEdited(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post("/settings/providers", providerForm("Local", "http://127.0.0.1:1/v1"))
	before := onlyAgent(t, s)
	page := s.Admin.Get("/settings/agents/" + string(before.ID))
	other := before.Model.Provider + "/other-model"
	for _, want := range []string{before.Instructions, `value="` + other + `"`, "notes_write"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, page.Body)
		}
	}
	form := url.Values{"name": {"Operations"}, "instructions": {" Be brief.\r\nBe exact. "}, "model": {other}, "approval": {"1h 30m"}, "question": {"45s"}, "review": {"20s"}, "reviewer": {other}, "model_calls": {"50"}, "buffer_attempts": {"on"}, "tool": {"current_time", "notes_write"}}
	saved := s.Admin.Post("/settings/agents/"+string(before.ID), form)
	if got := s.Admin.Follow(saved); !strings.Contains(got.Body, "Saved.") || !strings.Contains(got.Body, "Operations") || !strings.Contains(got.Body, `value="1h30m"`) || !strings.Contains(got.Body, `value="45s"`) ||
		!strings.Contains(got.Body, `name="buffer_attempts" checked`) {
		t.Errorf("the page does not say that it was saved\n%s", got.Body)
	}
	got := onlyAgent(t, s)
	if got.Name != "Operations" || got.Instructions != "Be brief.\nBe exact." || got.Model.Model != "other-model" || got.Reviewer != got.Model ||
		got.Output != (agent.OutputOptions{BufferAttempts: true}) || !slices.Equal(got.Tools, []string{"current_time", "notes_write"}) {
		t.Errorf("got %+v", got)
	}
	if got.Limits != (agent.Limits{Approval: 90 * time.Minute, Question: 45 * time.Second, Review: 20 * time.Second, ModelCalls: 50}) {
		t.Errorf("got limits %+v", got.Limits)
	}

	form.Set("name", "")
	wrong := s.Admin.Post("/settings/agents/"+string(before.ID), form)
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, "Enter a name") || !strings.Contains(wrong.Body, "Be exact.") {
		t.Errorf("without a name: got %d\n%s", wrong.Status, wrong.Body)
	}
	form.Set("name", "Operations")
	for field, values := range map[string][]string{"approval": {"soon", "5", "0s", "-1m", "999ms", "169h"}, "question": {"soon", "0s", "169h"}, "review": {"soon", "0s", "6m"}, "model_calls": {"many", "0", "51", "-1"}} {
		for _, value := range values {
			changed := maps.Clone(form)
			changed.Set(field, value)
			if got := s.Admin.Post("/settings/agents/"+string(before.ID), changed); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, `value="`+value+`"`) {
				t.Errorf("%s %q: got %d, want 422 and what was typed\n%s", field, value, got.Status, got.Body)
			}
		}
	}
	form.Set("model", "p_nobody/gpt")
	if got := s.Admin.Post("/settings/agents/"+string(before.ID), form); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a model that is not offered: got %d, want 422", got.Status)
	}
	form.Set("model", other)
	form.Set("reviewer", "p_nobody/gpt")
	if got := s.Admin.Post("/settings/agents/"+string(before.ID), form); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Choose another one, or none.") {
		t.Errorf("a reviewer that is not offered: got %d, want 422", got.Status)
	}
	form.Set("reviewer", "")
	if got := s.Admin.Post("/settings/agents/"+string(before.ID), form); got.Status != http.StatusSeeOther || onlyAgent(t, s).Reviewer != (agent.ModelRef{}) {
		t.Errorf("no reviewer: got %d, %+v", got.Status, onlyAgent(t, s).Reviewer)
	}
}

func TestAgentKeepsAModelThatIsGone(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post("/settings/providers", providerForm("Local", "http://127.0.0.1:1/v1"))
	a := onlyAgent(t, s)
	if err := s.DB.Providers().Delete(t.Context(), a.Model.Provider); err != nil {
		t.Fatal(err)
	}
	if got := s.Admin.Get("/settings/agents"); !strings.Contains(got.Body, "Not offered any more") {
		t.Errorf("the list does not say that the model is gone\n%s", got.Body)
	}
	form := url.Values{"name": {"Renamed"}, "model": {a.Model.Provider + "/" + a.Model.Model}}
	if got := s.Admin.Post("/settings/agents/"+string(a.ID), form); got.Status != http.StatusSeeOther {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	if got := onlyAgent(t, s); got.Name != "Renamed" || got.Model != a.Model {
		t.Errorf("got %+v, want the model it had", got)
	}
}
