package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/views"
	"countersign/web/webtest"
)

func guardrailsOf(t *testing.T, s *webtest.Server) []agent.Guardrail {
	t.Helper()
	return onlyAgent(t, s).Safety.Guardrails
}

func TestGuardrailsAreEdited(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post(views.ProvidersURL, providerForm("Local", "http://127.0.0.1:1/v1"))
	id := onlyAgent(t, s).ID
	to := views.GuardrailURL(id, "", "")
	save := func(form url.Values) webtest.Response { t.Helper(); return s.Admin.Post(to, form) }
	pattern := url.Values{"kind": {"pattern"}, "name": {"No <prices>"}, "place": {"1"}, "pattern": {"(?i)price list "}, "over_answer": {"on"}, "over_reasoning": {"on"}}
	arguments := url.Values{"kind": {"arguments"}, "name": {"Dry run"}, "place": {"1"}, "tool": {"notes_*"}, "path": {"$.dry"}, "do": {"rewrite"}, "match": {"^n"}, "value": {"true"}}
	hook := url.Values{"kind": {"webhook"}, "name": {"Desk / one"}, "place": {"3"}, "url": {"https://desk.example/judge"}, "timeout": {"5 s"}, "over_answer": {"on"}, "over_reasoning": {"on"}, "over_arguments": {"on"}}
	for name, c := range map[string]struct {
		form url.Values
		says string
	}{
		"no name":            {changed(pattern, "name", " "), "Enter a name"},
		"no pattern":         {changed(pattern, "pattern", ""), "Enter a regular expression"},
		"no RE2":             {changed(pattern, "pattern", "(?=a)"), "Enter a regular expression"},
		"no such place":      {changed(pattern, "place", "2"), "Enter a whole number from 1 to 1."},
		"nothing to judge":   {url.Values{"kind": {"pattern"}, "name": {"x"}, "place": {"1"}, "pattern": {"a"}}, "Choose at least one."},
		"an odd tool":        {changed(arguments, "tool", "a b"), "Enter the name of a tool"},
		"an odd path":        {changed(arguments, "path", "dry"), "Enter a path"},
		"an odd verb":        {changed(arguments, "do", "drop"), "Choose what the rule does"},
		"a value of no JSON": {changed(arguments, "value", "yes"), "Enter a JSON value"},
		"no address":         {changed(hook, "url", "desk"), "Enter a whole address"},
		"a private address":  {changed(hook, "url", "http://127.0.0.1:1/x"), "in a private network"},
		"a long time":        {changed(hook, "timeout", "2m"), "Enter a time from 1s to 1m"},
	} {
		got := save(c.form)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, c.says) || len(guardrailsOf(t, s)) > 0 {
			t.Errorf("%s: got %d, want %q\n%s", name, got.Status, c.says, got.Body)
		}
	}
	for _, form := range []url.Values{pattern, arguments, hook} {
		got := save(form)
		if got.Location != views.AgentURL(id) {
			t.Fatalf("%s: %d\n%s", form.Get("name"), got.Status, got.Body)
		}
		if page := s.Admin.Follow(got).Body; !strings.Contains(page, "was saved.") {
			t.Errorf("%s: %s", form.Get("name"), page)
		}
	}
	want := []agent.Guardrail{
		{Name: "Dry run", Arguments: &agent.ArgumentRule{Tool: "notes_*", Path: "$.dry", Do: agent.ArgumentRewrite, Match: "^n", Value: "true"}},
		{Name: "No <prices>", Pattern: &agent.PatternRule{Pattern: "(?i)price list ", Over: []agent.Subject{agent.SubjectAnswer, agent.SubjectReasoning}}},
		{Name: "Desk / one", Webhook: &agent.Webhook{URL: "https://desk.example/judge", Timeout: 5 * time.Second}},
	}
	check := func(what string) {
		t.Helper()
		if diff := cmp.Diff(want, guardrailsOf(t, s)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	check("added")
	list := s.Admin.Get(views.AgentURL(id)).Body
	for _, part := range []string{"Holds back an answer or reasoning with (?i)price list", "notes_* gets true for $.dry with ^n", "Asks https://desk.example/judge about anything", "No &lt;prices&gt;"} {
		if !strings.Contains(list, part) {
			t.Errorf("the list lacks %q\n%s", part, list)
		}
	}
	for _, g := range want { // saved as it is shown, it stays as it is
		form := load(t, s.Admin, views.GuardrailURL(id, g.Name, "")).Forms(to)[0].Values
		save(form)
		check(g.Name)
	}
	form := load(t, s.Admin, views.GuardrailURL(id, "Desk / one", "")).Forms(to)[0].Values
	if got := save(changed(form, "name", "DRY RUN")); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "There is a guardrail of this name.") {
		t.Errorf("a taken name: %d", got.Status)
	}
	save(changed(changed(form, "place", "1"), "private", "on"))
	want[2].Webhook.AllowPrivateNetwork = true
	want = []agent.Guardrail{want[2], want[0], want[1]}
	check("moved")

	// The agent's own form leaves them alone.
	own := load(t, s.Admin, views.AgentURL(id)).Forms(views.AgentURL(id))[0].Values
	own = changed(changed(changed(own, "max_retries", "0"), "same_calls", "7"), "ask_safety", "on")
	if got := s.Admin.Post(views.AgentURL(id), own); got.Status != http.StatusSeeOther {
		t.Errorf("the agent: %d\n%s", got.Status, got.Body)
	}
	check("the agent was saved")
	if got := onlyAgent(t, s).Safety; *got.MaxRetries != 0 || *got.SameCalls != 7 || !got.Ask {
		t.Errorf("got %+v", got)
	}
	for field, value := range map[string]string{"max_retries": "6", "same_calls": "-1"} {
		if got := s.Admin.Post(views.AgentURL(id), changed(own, field, value)); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Enter a whole number from 0 to") {
			t.Errorf("%s: %d", field, got.Status)
		}
	}

	gone := views.GuardrailDeleteURL(id, "Dry run")
	if page := s.Admin.Get(gone).Body; !strings.Contains(page, "judged without it") || len(guardrailsOf(t, s)) != 3 {
		t.Errorf("asked: %s", page)
	}
	removal := load(t, s.Admin, gone).Forms("/guardrail/delete")[0]
	if got := s.Admin.Post(removal.Action, removal.Values); got.Location != views.AgentURL(id) || len(guardrailsOf(t, s)) != 2 {
		t.Errorf("removed: %d", got.Status)
	}
	for _, address := range []string{gone, views.GuardrailURL(id, "Dry run", ""), views.GuardrailURL("g_none", "", agent.GuardrailPattern)} {
		if got := s.Admin.Get(address); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", address, got.Status)
		}
	}
	if got := save(changed(form, "was", "Dry run")); got.Status != http.StatusNotFound {
		t.Errorf("one that is gone: %d", got.Status)
	}
	if got := s.Member.Get(views.GuardrailURL(id, "Desk / one", "")); got.Status != http.StatusForbidden && got.Status != http.StatusNotFound {
		t.Errorf("a member: %d", got.Status)
	}
}
