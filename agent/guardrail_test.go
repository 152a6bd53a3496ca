package agent_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

func TestSafety_Problems(t *testing.T) {
	t.Parallel()
	n := func(n int) *int { return &n }
	pattern := func(p agent.PatternRule) agent.Guardrail { return agent.Guardrail{Name: "x", Pattern: &p} }
	arguments := func(r agent.ArgumentRule) agent.Guardrail { return agent.Guardrail{Name: "x", Arguments: &r} }
	hook := func(w agent.Webhook) agent.Guardrail { return agent.Guardrail{Name: "x", Webhook: &w} }
	good := pattern(agent.PatternRule{Pattern: "a|b", Over: []agent.Subject{"answer"}})
	for name, c := range map[string]struct {
		safety agent.Safety
		want   string
	}{
		"nothing":             {agent.Safety{}, ""},
		"good":                {agent.Safety{Guardrails: []agent.Guardrail{good}, MaxRetries: n(5), SameCalls: n(0)}, ""},
		"too many retries":    {agent.Safety{MaxRetries: n(6)}, "max_retries"},
		"fewer than none":     {agent.Safety{SameCalls: n(-1)}, "same_calls"},
		"too many":            {agent.Safety{Guardrails: slices.Repeat([]agent.Guardrail{good}, 21)}, "guardrails"},
		"twice":               {agent.Safety{Guardrails: []agent.Guardrail{good, good}}, "guardrails.1.name"},
		"no name":             {agent.Safety{Guardrails: []agent.Guardrail{{Pattern: good.Pattern}}}, "guardrails.0.name"},
		"a hidden name":       {agent.Safety{Guardrails: []agent.Guardrail{{Name: "a\u202eb", Pattern: good.Pattern}}}, "guardrails.0.name"},
		"no kind":             {agent.Safety{Guardrails: []agent.Guardrail{{Name: "x"}}}, "guardrails.0.name"},
		"no RE2":              {agent.Safety{Guardrails: []agent.Guardrail{pattern(agent.PatternRule{Pattern: `(?=a)`})}}, "guardrails.0.pattern"},
		"no pattern":          {agent.Safety{Guardrails: []agent.Guardrail{pattern(agent.PatternRule{})}}, "guardrails.0.pattern"},
		"a long pattern":      {agent.Safety{Guardrails: []agent.Guardrail{pattern(agent.PatternRule{Pattern: strings.Repeat("a", agent.MaxPattern+1)})}}, "guardrails.0.pattern"},
		"over what":           {agent.Safety{Guardrails: []agent.Guardrail{pattern(agent.PatternRule{Pattern: "a", Over: []agent.Subject{"x"}})}}, "guardrails.0.over"},
		"no tool":             {agent.Safety{Guardrails: []agent.Guardrail{arguments(agent.ArgumentRule{Path: "$.a", Do: "forbid"})}}, "guardrails.0.tool"},
		"no path":             {agent.Safety{Guardrails: []agent.Guardrail{arguments(agent.ArgumentRule{Tool: "*", Path: "a", Do: "forbid"})}}, "guardrails.0.path"},
		"no verb":             {agent.Safety{Guardrails: []agent.Guardrail{arguments(agent.ArgumentRule{Tool: "*", Path: "$.a", Do: "drop"})}}, "guardrails.0.do"},
		"no RE2 to match":     {agent.Safety{Guardrails: []agent.Guardrail{arguments(agent.ArgumentRule{Tool: "*", Path: "$.a", Do: "forbid", Match: "("})}}, "guardrails.0.match"},
		"a value of no JSON":  {agent.Safety{Guardrails: []agent.Guardrail{arguments(agent.ArgumentRule{Tool: "*", Path: "$.a", Do: "rewrite", Value: "north"})}}, "guardrails.0.value"},
		"no address":          {agent.Safety{Guardrails: []agent.Guardrail{hook(agent.Webhook{})}}, "guardrails.0.url"},
		"too long for a hook": {agent.Safety{Guardrails: []agent.Guardrail{hook(agent.Webhook{URL: "https://a", Timeout: 2 * agent.MaxWebhook})}}, "guardrails.0.timeout"},
	} {
		got := strings.Join(slices.Collect(maps.Keys(c.safety.Problems())), " ")
		if c.want == "guardrails" { // beside the names, which are all the same
			got = strings.Join(slices.DeleteFunc(strings.Fields(got), func(f string) bool { return strings.Contains(f, ".") }), " ")
		}
		if got != c.want {
			t.Errorf("%s: problems with %q, want %q", name, got, c.want)
		}
	}
}

// What a rule makes of arguments, read as a tool may read them.
func TestArgumentRules(t *testing.T) {
	t.Parallel()
	rule := func(do agent.ArgumentVerb, path, match, value string) agent.ArgumentRule {
		return agent.ArgumentRule{Tool: "order*", Path: path, Do: do, Match: match, Value: value}
	}
	const blocked = "blocked"
	for name, c := range map[string]struct {
		rule            agent.ArgumentRule
		arguments, want string // the arguments as they pass, or blocked
	}{
		"required and there":             {rule("require", "$.a", "", ""), `{"a":null}`, `{"a":null}`},
		"required and not there":         {rule("require", "$.a", "", ""), `{"b":1}`, blocked},
		"required, no arguments":         {rule("require", "$.a", "", ""), ``, blocked},
		"required in other letters":      {rule("require", "$.a", "", ""), `{"A":1}`, blocked},
		"required, another value":        {rule("require", "$.a", "^x$", ""), `{"a":"y"}`, blocked},
		"required, twice":                {rule("require", "$.a", "^x$", ""), `{"a":"x","A":"y"}`, blocked},
		"required of each":               {rule("require", "$.l[*].a", "", ""), `{"l":[{"a":1},{}]}`, blocked},
		"required of each, none":         {rule("require", "$.l[*].a", "", ""), `{"l":[]}`, blocked},
		"required deep":                  {rule("require", "$.a.b", "", ""), `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		"forbidden and not there":        {rule("forbid", "$.a", "", ""), `{"b":1}`, `{"b":1}`},
		"forbidden in other letters":     {rule("forbid", "$.a", "", ""), `{"A":1}`, blocked},
		"forbidden escaped":              {rule("forbid", "$.a", "secret", ""), `{"a":"secr\u0065t"}`, blocked},
		"forbidden inside":               {rule("forbid", "$.a", "secret", ""), `{"a":{"b":["secr\u0065t"]}}`, blocked},
		"forbidden number, written so":   {rule("forbid", "$.a", "^1000$", ""), `{"a":1e3}`, blocked},
		"forbidden, another value":       {rule("forbid", "$.a", "^x$", ""), `{"a":"xx"}`, `{"a":"xx"}`},
		"forbidden in no JSON":           {rule("forbid", "$.a", "", ""), `{"a"`, blocked},
		"rewritten":                      {rule("rewrite", "$.a", "", `"n"`), `{ "a" : 1, "b":2.0 }`, `{ "a" : "n", "b":2.0 }`},
		"rewritten, added":               {rule("rewrite", "$.a", "", `1`), `{"b":2}`, `{"b":2,"a":1}`},
		"rewritten, added to nothing":    {rule("rewrite", "$.a", "", `1`), ``, `{"a":1}`},
		"rewritten, added to each":       {rule("rewrite", "$.l[*].a", "", `1`), `{"l":[{},{"b":2},{"a":3}]}`, `{"l":[{"a":1},{"b":2,"a":1},{"a":1}]}`},
		"rewritten, both of a name":      {rule("rewrite", "$.a", "", `1`), `{"a":2,"A":3}`, `{"a":1,"A":1}`},
		"rewritten where it matches":     {rule("rewrite", "$.*", "^s", `null`), `{"a":"s1","b":"t"}`, `{"a":null,"b":"t"}`},
		"rewritten, nothing that counts": {rule("rewrite", "$.a", "x", `1`), `{"b":2}`, `{"b":2}`},
		"rewritten in no JSON":           {rule("rewrite", "$.a", "", `1`), `[`, blocked},
		"not of this tool":               {agent.ArgumentRule{Tool: "save", Path: "$.a", Do: "forbid"}, `{"a":1}`, `{"a":1}`},
	} {
		got, ok := agent.Guardrail{Name: "x", Arguments: &c.rule}.Try("order_now", c.arguments)
		if !ok {
			got = blocked
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzArgumentRules(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"c"}]}`, `{"a":{"a":1},"A":2}`, `[`, ``, "{\"\\u0061\":\"\x00\"}"} {
		f.Add("$.a", text, "1")
		f.Add("$.a[*].b", text, `"x"`)
	}
	f.Fuzz(func(t *testing.T, path, arguments, value string) {
		for _, do := range agent.ArgumentVerbs {
			g := agent.Guardrail{Name: "x", Arguments: &agent.ArgumentRule{Tool: "*", Path: path, Do: do, Value: value}}
			if len(g.Problems()) > 0 {
				continue
			}
			got, ok := g.Try("t", arguments)
			if do == agent.ArgumentForbid && ok && got != arguments {
				t.Errorf("%s: %q became %q", path, arguments, got)
			}
			if again, still := g.Try("t", got); do == agent.ArgumentRewrite && ok && (!still || again != got) {
				t.Errorf("%s as %s: %q became %q and then %q", path, value, arguments, got, again)
			}
		}
	})
}
