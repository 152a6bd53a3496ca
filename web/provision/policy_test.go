package provision_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
	"countersign/web/provision"
)

const rules = `
policy:
  - name: Big orders
    agent: assistant
    role: end_user
    connector: Shop
    tool: mcp__Shop__*
    match: {sku: "A-*", "$.items[*].n": 5}
    verdict: ask
  - {tool: notes_delete, verdict: deny, hard: true}
`

func TestPolicy(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	apply := func(text string) (got []models.Outcome) {
		t.Helper()
		applied, err := db.Apply(t.Context(), parse(t, text).Setup)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range applied {
			got = append(got, a.Outcome)
		}
		return got
	}
	apply(full)
	a, err := db.Agents().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := agent.Policy{
		{
			Name: "Big orders", Do: agent.PolicyAsk, Agent: a[0].ID, Role: agent.RoleEndUser, Connector: "Shop", Tool: "mcp__Shop__*",
			Match: []agent.ArgumentMatch{{Path: "$.sku", Pattern: "A-*"}, {Path: "$.items[*].n", Pattern: "5"}},
		},
		{Name: "deny always notes_delete", Do: agent.PolicyDeny, Hard: true, Tool: "notes_delete"},
	}
	check := func() {
		t.Helper()
		got, err := db.Rules().Policy(t.Context())
		byName := cmpopts.SortSlices(func(a, b agent.PolicyRule) bool { return a.Name < b.Name })
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(agent.PolicyRule{}, "ID"), byName); diff != "" || err != nil {
			t.Errorf("%v: %s", err, diff)
		}
	}
	if diff := cmp.Diff([]models.Outcome{models.Created, models.Created}, apply(rules)); diff != "" {
		t.Error(diff)
	}
	check()
	if diff := cmp.Diff([]models.Outcome{models.Unchanged, models.Unchanged}, apply(rules)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]models.Outcome{models.Updated}, apply("policy: [{name: Big orders, verdict: deny, agent: ''}]")); diff != "" {
		t.Error(diff)
	}
	want[0].Do, want[0].Agent = agent.PolicyDeny, ""
	check()
}

// A reviewer is a model that a provider lists, or none.
func TestReviewer(t *testing.T) {
	t.Parallel()
	db := modelstest.Open(t)
	reviewer := func(text string) agent.Agent {
		t.Helper()
		if _, err := db.Apply(t.Context(), parse(t, text).Setup); err != nil {
			t.Fatal(err)
		}
		a, err := db.Agents().List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return a[0]
	}
	if a := reviewer(full); a.Reviewer != (agent.ModelRef{}) {
		t.Errorf("at first it is %+v", a.Reviewer)
	}
	a := reviewer(`agents: [{name: assistant, reviewer: {provider: Local, name: "4"}, limits: {review: 20s}}]`)
	if a.Reviewer.Provider != a.Model.Provider || a.Reviewer.Model != "4" || a.Limits.Review != 20*time.Second || a.Limits.ModelCalls != 10 {
		t.Errorf("it is %+v", a)
	}
	if a = reviewer("agents: [{name: assistant, instructions: Hi.}]"); a.Reviewer.Model != "4" {
		t.Errorf("left out, it is %+v", a.Reviewer)
	}
	if a = reviewer("agents: [{name: assistant, reviewer: none}]"); a.Reviewer != (agent.ModelRef{}) {
		t.Errorf("none is %+v", a.Reviewer)
	}
	for text, want := range map[string]string{
		"agents: [{name: assistant, reviewer: {name: m}}]":                      "line 1: reviewer needs a provider and a name",
		"agents: [{name: assistant, reviewer: {provider: Local, name: other}}]": `line 1: reviewer: The provider "Local" does not list the model "other".`,
		"agents: [{name: assistant, limits: {review: 10m}}]":                    "line 1: review must be a time from 1s to 5m",
	} {
		f, err := provision.Parse([]byte(text), context())
		if err == nil {
			var refused *models.SetupError
			if _, err = db.Apply(t.Context(), f.Setup); errors.As(err, &refused) {
				err = f.Explain(refused)
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestPolicy_Strict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, want string }{
		"an unknown part":       {"{verdict: ask, user: x}", `line 2: a rule has no field "user"`},
		"nothing":               {"{tool: notes_read}", "line 2: a rule without a name needs a verdict"},
		"twice the same":        {"{verdict: ask}\n  - {verdict: ask}", "line 3: a rule that says the same is there twice"},
		"twice the name":        {"{name: A, verdict: ask}\n  - {name: a, verdict: deny}", "line 3: the name of a rule is there twice"},
		"a list of places":      {"{verdict: ask, match: [sku]}", "line 2: match must be a mapping"},
		"a place with no value": {"{verdict: ask, match: {sku: null}}", "line 2: match needs a value for each place"},
		"an odd place":          {"{verdict: ask, match: {'$sku': A}}", "line 2: match: Enter a path"},
		"an odd verdict":        {"{name: A, verdict: maybe}", "line 2: verdict: Choose what the rule does"},
		"leave that is hard":    {"\n      name: A\n      verdict: allow\n      hard: true", "line 5: hard: Only a denial"},
		"a role":                {"{verdict: ask, role: owner}", "line 2: role: Choose from"},
		"no such agent":         {"{verdict: ask, agent: nobody}", `line 2: agent: There is no agent "nobody".`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := provision.Parse([]byte("policy:\n  - "+c.rule+"\n"), context())
			if err == nil {
				var refused *models.SetupError
				if _, err = modelstest.Open(t).Apply(t.Context(), f.Setup); errors.As(err, &refused) {
					err = f.Explain(refused)
				}
			}
			if !errors.As(err, new(provision.Problems)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
