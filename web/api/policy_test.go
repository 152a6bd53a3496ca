package api_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/agent"
)

// A program is told which rule of policy decided, but not which of those that
// nothing overrides.
func TestEvents_RulesOfPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
call call_1 notes_write {"title":"A","text":"a"}
call call_2 notes_delete {"title":"A"}
finish tool_calls
---
expect results 2
text "Done."
finish stop`)
	for _, r := range []agent.PolicyRule{
		{Name: "Notes are fine", Do: agent.PolicyAllow, Tool: "notes_*", Role: agent.RoleAdmin},
		{Name: "The hidden rule", Do: agent.PolicyDeny, Hard: true, Tool: "notes_delete"},
	} {
		if _, err := w.s.DB.Rules().Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	p := w.runner()
	var s sent
	p.call(http.MethodPost, "/v2/conversations/"+p.open()+"/messages", `{"text":"Go."}`, http.StatusAccepted, &s)
	said := ""
	for _, e := range p.listen("/v2/runs/"+s.RunID+"/events", "").rest() {
		said += e.raw
	}
	for _, want := range []string{`"rule":"Notes are fine"`, `"origin":"application_policy"`, `"origin":"hard_policy"`, "run_finished"} {
		if !strings.Contains(said, want) {
			t.Errorf("the events lack %s", want)
		}
	}
	if strings.Contains(said, "The hidden rule") {
		t.Errorf("the rule is named in %s", said)
	}
}
