package provision_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web/provision"
)

const safety = `
agents:
  - name: assistant
    safety:
      retries: 2
      same_calls: 0
      ask: true
      guardrails:
        - {name: No prices, pattern: "(?i)price list", over: [answer, reasoning]}
        - {name: Dry run, tool: "mcp__Shop__*", path: $.dry_run, do: rewrite, value: true}
        - {name: A branch, tool: order, path: $.branch, do: require, match: ^north$}
        - {name: Desk, webhook: "https://desk.example/judge", timeout: 5s}
`

func TestSafety(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	apply := func(text string) models.Outcome {
		t.Helper()
		applied, err := db.Apply(t.Context(), parse(t, text).Setup)
		if err != nil {
			t.Fatal(err)
		}
		return applied[len(applied)-1].Outcome
	}
	apply(full)
	two, none := 2, 0
	want := agent.Safety{
		MaxRetries: &two, SameCalls: &none, Ask: true,
		Guardrails: []agent.Guardrail{
			{Name: "No prices", Pattern: &agent.PatternRule{Pattern: "(?i)price list", Over: []agent.Subject{agent.SubjectAnswer, agent.SubjectReasoning}}},
			{Name: "Dry run", Arguments: &agent.ArgumentRule{Tool: "mcp__Shop__*", Path: "$.dry_run", Do: agent.ArgumentRewrite, Value: "true"}},
			{Name: "A branch", Arguments: &agent.ArgumentRule{Tool: "order", Path: "$.branch", Do: agent.ArgumentRequire, Match: "^north$"}},
			{Name: "Desk", Webhook: &agent.Webhook{URL: "https://desk.example/judge", Timeout: 5 * time.Second}},
		},
	}
	check := func() {
		t.Helper()
		got, err := db.Agents().List(t.Context())
		if diff := cmp.Diff(want, got[0].Safety); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
	}
	if got := apply(safety); got != models.Updated {
		t.Errorf("applied: %s", got)
	}
	check()
	if got := apply(safety); got != models.Unchanged {
		t.Errorf("applied again: %s", got)
	}
	if got := apply("agents: [{name: assistant, safety: {ask: false}}]"); got != models.Updated {
		t.Errorf("one field: %s", got)
	}
	want.Ask = false
	check()
	apply("agents: [{name: assistant, safety: {guardrails: []}}]")
	want.Guardrails = nil
	check()
}

func TestSafety_Strict(t *testing.T) {
	t.Parallel()
	one := func(guardrail string) string { return "{guardrails: [" + guardrail + "]}" }
	for name, c := range map[string]struct{ safety, want string }{
		"an unknown part":     {"{stop: true}", `safety has no field "stop"`},
		"too many retries":    {"{retries: 9}", "retries must be a whole number from 0 to 5"},
		"an unknown field":    {one("{name: x, regex: a}"), `a guardrail has no field "regex"`},
		"nothing to judge by": {one("{name: x}"), "either pattern"},
		"two ways":            {one(`{name: x, pattern: a, webhook: "https://a.example"}`), "either pattern"},
		"two ways, arguments": {one("{name: x, tool: a, path: $.a, do: forbid, over: [answer]}"), "either pattern"},
		"no name":             {one("{pattern: a}"), "name: Enter a name"},
		"twice":               {one("{name: x, pattern: a}, {name: X, pattern: b}"), "is there twice"},
		"no RE2":              {one(`{name: x, pattern: "(?=a)"}`), "pattern: Enter a regular expression"},
		"over what":           {one("{name: x, pattern: a, over: [all]}"), "over: Choose from"},
		"a wrong path":        {one("{name: x, tool: a, path: a, do: forbid}"), "path: Enter a path"},
		"a wrong verb":        {one("{name: x, tool: a, path: $.a, do: drop}"), "do: Choose what"},
		"no value":            {one("{name: x, tool: a, path: $.a, do: rewrite}"), "value: Enter a JSON value"},
		"a strange value":     {one("{name: x, tool: a, path: $.a, do: rewrite, value: .nan}"), "value must be a value that JSON has"},
		"no address":          {one(`{name: x, webhook: "desk"}`), "webhook: Enter a whole address"},
		"a private address":   {one(`{name: x, webhook: "http://127.0.0.1:1"}`), "webhook: This address is on this machine"},
		"a short time":        {one(`{name: x, webhook: "https://a.example", timeout: 1ms}`), "timeout must be a time from 1s to 1m0s"},
	} {
		_, err := provision.Parse([]byte("agents: [{name: a, safety: "+c.safety+"}]"), provision.Context{})
		var problems provision.Problems
		if !errors.As(err, &problems) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
