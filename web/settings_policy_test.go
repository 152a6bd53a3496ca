package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

func rulesOf(t *testing.T, s *webtest.Server) agent.Policy {
	t.Helper()
	policy, err := s.DB.Rules().Policy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

func TestRulesAreEdited(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Admin.Post(views.ProvidersURL, providerForm("Local", "http://127.0.0.1:1/v1"))
	typed := url.Values{
		"name": {"Big <orders>"}, "then": {"ask"}, "tool": {"mcp__Shop__*"}, "connector": {"Shop"}, "role": {"end_user"},
		"match": {" sku = A-*\r\n\r\n$.items[*].n=5 "}, "agent": {string(onlyAgent(t, s).ID)},
	}
	for name, c := range map[string]struct{ field, value, says string }{
		"no name":        {"name", " ", "Enter a name"},
		"hidden name":    {"name", "a\u202eb", "Enter a name"},
		"an odd verb":    {"then", "maybe", "Choose what the rule does"},
		"an odd tool":    {"tool", "a b", "Enter the name of a tool"},
		"an odd place":   {"match", "$sku = A", "Enter a path"},
		"no value":       {"match", "sku", "Enter a value"},
		"an odd role":    {"role", "owner", "Choose from admin"},
		"an odd agent":   {"agent", "g_none", "Choose from the agents"},
		"too many lines": {"match", strings.Repeat("a = b\n", 11), "A rule may look at 10 places."},
	} {
		wrong := changed(typed, c.field, c.value)
		got := s.Admin.Post(views.PolicyURL, wrong)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, c.says) {
			t.Errorf("%s: got %d\n%s", name, got.Status, got.Body)
		}
		page, err := livepage.Parse(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		kept := page.Forms(views.PolicyURL)[0].Values
		if want := strings.TrimSpace(wrong.Get("tool")); kept.Get("tool") != want {
			t.Errorf("%s: the tool is shown as %q", name, kept.Get("tool"))
		}
	}
	if got := rulesOf(t, s); len(got) > 0 {
		t.Fatalf("stored: %v", got)
	}
	saved := s.Admin.Post(views.PolicyURL, typed)
	policy := rulesOf(t, s)
	if saved.Location != views.PolicyURL || len(policy) != 1 {
		t.Fatalf("%d, to %s; %v", saved.Status, saved.Location, policy)
	}
	want := agent.PolicyRule{
		ID: policy[0].ID, Name: "Big <orders>", Do: agent.PolicyAsk, Agent: onlyAgent(t, s).ID, Role: agent.RoleEndUser, Connector: "Shop", Tool: "mcp__Shop__*",
		Match: []agent.ArgumentMatch{{Path: "$.sku", Pattern: "A-*"}, {Path: "$.items[*].n", Pattern: "5"}},
	}
	if diff := cmp.Diff(want, policy[0]); diff != "" {
		t.Error(diff)
	}
	list := s.Admin.Follow(saved).Body
	for _, part := range []string{"Big &lt;orders&gt; was saved.", "mcp__Shop__*", "$.sku = A-*", "of the connector Shop", "for end users of programs", "Ask"} {
		if !strings.Contains(list, part) {
			t.Errorf("the list lacks %q\n%s", part, list)
		}
	}
	// Saved as it is shown, it stays as it is.
	form := load(t, s.Admin, views.RuleURL(want.ID)).Forms(views.RuleURL(want.ID))[0].Values
	s.Admin.Post(views.RuleURL(want.ID), form)
	if diff := cmp.Diff(want, rulesOf(t, s)[0]); diff != "" {
		t.Error(diff)
	}
	s.Admin.Post(views.RuleURL(want.ID), changed(form, "then", views.RuleHard))
	if got := rulesOf(t, s)[0]; got.Do != agent.PolicyDeny || !got.Hard {
		t.Errorf("got %+v", got)
	}
	if got := s.Admin.Post(views.PolicyURL, typed); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "There is a rule of this name.") {
		t.Errorf("a taken name: %d", got.Status)
	}
	if page := s.Admin.Get(views.RuleDeleteURL(want.ID)).Body; !strings.Contains(page, "Calls that it denied are put to a person") || len(rulesOf(t, s)) != 1 {
		t.Errorf("asked: %s", page)
	}
	if got := s.Admin.Post(views.RuleDeleteURL(want.ID), nil); got.Location != views.PolicyURL || len(rulesOf(t, s)) > 0 {
		t.Errorf("removed: %d, %v", got.Status, rulesOf(t, s))
	}
	if got := s.Admin.Post(views.RuleURL(want.ID), form); got.Status != http.StatusNotFound {
		t.Errorf("one that is gone: %d", got.Status)
	}
}

// The page says of a call what the engine would do with it.
func TestPolicyIsTried(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if page := s.Admin.Get(views.PolicyURL).Body; strings.Contains(page, views.PolicyTryURL) || !strings.Contains(page, "No rules") {
		t.Errorf("without an agent: %s", page)
	}
	s.Admin.Post(views.ProvidersURL, providerForm("Local", "http://127.0.0.1:1/v1"))
	a := onlyAgent(t, s)
	a.Tools = slices.DeleteFunc(a.Tools, func(name string) bool { return name == "notes_delete" })
	if _, err := s.DB.Agents().Save(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, r := range []agent.PolicyRule{
		{Name: "Quick notes", Do: agent.PolicyAllow, Tool: "notes_write", Match: []agent.ArgumentMatch{agent.MatchAt("title", "Quick *")}},
		{Name: "Others ask", Do: agent.PolicyAsk, Tool: "notes_write", Role: agent.RoleEndUser},
		{Name: "Not members", Do: agent.PolicyDeny, Tool: "notes_write", Role: agent.RoleMember},
		{Name: "No clock", Do: agent.PolicyDeny, Tool: "current_time"},
		{Name: "No list", Do: agent.PolicyDeny, Hard: true, Tool: "notes_list"},
	} {
		if _, err := s.DB.Rules().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	try := func(tool, role, arguments string) webtest.Response {
		return s.Admin.Post(views.PolicyTryURL, url.Values{"tool": {tool}, "role": {role}, "agent": {string(a.ID)}, "arguments": {arguments}})
	}
	for _, c := range []struct{ tool, role, arguments, says string }{
		{"notes_write", "admin", `{"title":"Quick one"}`, "<b>Allowed.</b> It runs without a card. The rule “Quick notes” says so."},
		{"notes_write", "admin", ``, "<b>Ask.</b> No rule covers it."},
		{"notes_write", "end_user", `{"title":"Quick one"}`, "The rule “Others ask” says so."},
		{"notes_write", "member", `{"title":"Quick one"}`, "<b>Denied.</b> No card is shown. The rule “Not members” says so."},
		{"current_time", "member", ``, "The tool only reads, so it runs by itself."},
		{"notes_list", "member", ``, "<b>Denied.</b> Nothing overrides it. The rule “No list” says so."},
		{"ask_user", "member", ``, "asking needs no leave"},
		{"notes_delete", "member", ``, "does not have this tool."},
	} {
		got := try(c.tool, c.role, c.arguments)
		if got.Status != http.StatusOK || !strings.Contains(got.Body, c.says) {
			t.Errorf("%s for %s with %s: got %d, want %q\n%s", c.tool, c.role, c.arguments, got.Status, c.says, got.Body)
		}
	}
	a.Reviewer = a.Model
	if _, err := s.DB.Agents().Save(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := try("notes_write", "admin", ``); !strings.Contains(got.Body, "The reviewer judges it") {
		t.Errorf("with a reviewer: %s", got.Body)
	}
	for _, c := range []struct{ tool, role, arguments, says string }{
		{"rm", "member", ``, "Choose from the tools"},
		{"notes_list", "owner", ``, "Choose for whom."},
		{"notes_list", "member", `{"title`, "Enter JSON"},
	} {
		got := try(c.tool, c.role, c.arguments)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, c.says) || strings.Contains(got.Body, "says so") {
			t.Errorf("%v: got %d", c, got.Status)
		}
	}
}
