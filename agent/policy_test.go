package agent_test

import (
	"strings"
	"testing"

	"countersign/agent"
)

func TestPolicy_Over(t *testing.T) {
	t.Parallel()
	hard := agent.PolicyRule{Name: "hard", Do: agent.PolicyDeny, Hard: true, Tool: "mcp__Shop__delete*"}
	deny := agent.PolicyRule{Name: "deny", Do: agent.PolicyDeny, Tool: "mcp__Shop__*", Role: agent.RoleEndUser}
	ask := agent.PolicyRule{Name: "ask", Do: agent.PolicyAsk, Connector: "Shop", Match: []agent.ArgumentMatch{{Path: "$.sku", Pattern: "A-*"}}}
	allow := agent.PolicyRule{Name: "allow", Do: agent.PolicyAllow, Tool: "mcp__Shop__order", Agent: "g_1"}
	policy := agent.Policy{allow, ask, deny, hard}
	member := func(tool, arguments string) agent.Case {
		return agent.Case{Agent: "g_1", Role: agent.RoleMember, Call: agent.ToolCallRequested{Tool: tool, Connector: "Shop", Arguments: arguments}}
	}
	with := func(c agent.Case, change func(*agent.Case)) agent.Case {
		change(&c)
		return c
	}
	order := member("mcp__Shop__order", `{"sku":"B-1"}`)
	for name, c := range map[string]struct {
		of   agent.Case
		want string
	}{
		"leave":                             {order, "allow"},
		"leave in another agent":            {with(order, func(c *agent.Case) { c.Agent = "g_2" }), ""},
		"a question beats leave":            {member("mcp__Shop__order", `{"sku":"A-1"}`), "ask"},
		"a question of another connector":   {with(member("mcp__Shop__order", `{"sku":"A-1"}`), func(c *agent.Case) { c.Call.Connector = "Shop2" }), "allow"},
		"a denial beats all, however broad": {with(member("mcp__Shop__order", `{"sku":"A-1"}`), func(c *agent.Case) { c.Role = agent.RoleEndUser }), "deny"},
		"a denial of another role":          {member("mcp__Shop__list", `{}`), ""},
		"a hard one beats a denial":         {with(member("mcp__Shop__delete_all", `{}`), func(c *agent.Case) { c.Role = agent.RoleEndUser }), "hard"},
		"what only reads runs":              {with(order, func(c *agent.Case) { c.Role, c.Call.ReadOnly = agent.RoleEndUser, true }), "free"},
		"a question to a person is asked":   {with(order, func(c *agent.Case) { c.Asks = true }), "free"},
		"a hard one stops what only reads":  {with(member("mcp__Shop__delete", `{}`), func(c *agent.Case) { c.Call.ReadOnly = true }), "hard"},
		"a hard one stops a question":       {with(member("mcp__Shop__delete", `{}`), func(c *agent.Case) { c.Asks = true }), "hard"},
		"a name counts as a whole":          {member("xmcp__Shop__orders", `{"sku":"B-1"}`), ""},
		"capital letters count":             {member("mcp__shop__order", `{"sku":"B-1"}`), ""},
	} {
		got, ruling := "", policy.Over(c.of)
		switch {
		case ruling.Free:
			got = "free"
		case ruling.Rule != nil:
			got = ruling.Rule.Name
		}
		if got != c.want || ruling.Hard() != (c.want == "hard") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// What may be read in more than one way is read against the caller: leave needs
// every reading to fit, a question or a denial only one.
func TestPolicy_Arguments(t *testing.T) {
	t.Parallel()
	sku := agent.ArgumentMatch{Path: "$.sku", Pattern: "A-*"}
	one := agent.ArgumentMatch{Path: "$.n", Pattern: "1"}
	every := agent.ArgumentMatch{Path: "$.to[*].name", Pattern: "*@shop.example"}
	for _, c := range []struct {
		match            agent.ArgumentMatch
		arguments        string
		allowed, stopped bool
	}{
		{sku, `{"sku":"A-1"}`, true, true},
		{sku, `{"sku":"\u0041-1"}`, true, true},
		{sku, ` { "sku" : "A-" } `, true, true},
		{sku, `{"sku":"B-1"}`, false, false},
		{sku, `{"sku":"xA-1"}`, false, false},
		{sku, `{"other":"A-1"}`, false, false},
		{sku, `{"deep":{"sku":"A-1"}}`, false, false},
		{sku, `{"sku":["A-1"]}`, false, false},
		{sku, `{"sku":"A-1","sku":"B-1"}`, false, true},
		{sku, `{"sku":"B-1","sku":"A-1"}`, false, true},
		{sku, `{"sku":"A-1","SKU":"B-1"}`, false, true},
		{sku, `{"SKU":"A-1"}`, false, true},
		{sku, `{"sku":"A-1"`, false, true},
		{sku, `sku: A-1`, false, true},
		{sku, ``, false, false},
		{sku, `[]`, false, false},
		{one, `{"n":1}`, true, true},
		{one, `{"n":"1"}`, true, true},
		{one, `{"n":1.0}`, false, true},
		{one, `{"n":10e-1}`, false, true},
		{one, `{"n":11}`, false, false},
		{one, `{"n":true}`, false, false},
		{every, `{"to":[{"name":"a@shop.example"},{"name":"b@shop.example"}]}`, true, true},
		{every, `{"to":[{"name":"a@shop.example"},{"name":"b@else.example"}]}`, false, true},
		{every, `{"to":[{"name":"a@else.example"}]}`, false, false},
		{every, `{"to":[]}`, false, false},
	} {
		for _, do := range agent.PolicyVerbs {
			rule := agent.PolicyRule{Name: "r", Do: do, Match: []agent.ArgumentMatch{c.match}}
			want := c.stopped
			if do == agent.PolicyAllow {
				want = c.allowed
			}
			ruling := agent.Policy{rule}.Over(agent.Case{Call: agent.ToolCallRequested{Tool: "save", Arguments: c.arguments}})
			if (ruling.Rule != nil) != want {
				t.Errorf("%s %s is %s covers %s: got %v, want %v", do, c.match.Path, c.match.Pattern, c.arguments, !want, want)
			}
		}
	}
	both := agent.Policy{{Name: "r", Do: agent.PolicyAsk, Match: []agent.ArgumentMatch{sku, one}}}
	if r := both.Over(agent.Case{Call: agent.ToolCallRequested{Arguments: `{"sku":"A-1","n":2}`}}); r.Rule != nil {
		t.Error("one of two matches was enough")
	}
}

func TestPolicyRule_Patterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, fit, other string
	}{
		{"save", "save", "saves"},
		{"*", "", "-"},
		{"a*", "a", "b"},
		{"*a", "aaa", "ab"},
		{"a*b*c", "a-b-b-c", "a-c-b"},
		{"a**b", "ab", "a"},
		{"*ab*ab", "abab", "ab"},
		{strings.Repeat("a*", 20) + "b", strings.Repeat("a", 60) + "b", strings.Repeat("a", 60)},
	} {
		covers := func(tool string) bool {
			return agent.Policy{{Do: agent.PolicyAsk, Tool: c.pattern}}.Over(agent.Case{Call: agent.ToolCallRequested{Tool: tool}}).Rule != nil
		}
		if !covers(c.fit) || c.other != "-" && covers(c.other) {
			t.Errorf("%s covers %q: %v, %q: %v", c.pattern, c.fit, covers(c.fit), c.other, covers(c.other))
		}
	}
}

func TestPolicyRule_Problems(t *testing.T) {
	t.Parallel()
	fine := agent.PolicyRule{
		Name: "Big orders", Do: agent.PolicyDeny, Hard: true, Role: agent.RoleEndUser, Tool: "mcp__Shop__*",
		Match: []agent.ArgumentMatch{{Path: "$.items[0]['the sku']", Pattern: "A-*"}},
	}
	if p := fine.Problems(); len(p) > 0 {
		t.Errorf("got %v", p)
	}
	for field, change := range map[string]func(*agent.PolicyRule){
		"name":  func(r *agent.PolicyRule) { r.Name = "a\u202eb" },
		"do":    func(r *agent.PolicyRule) { r.Do, r.Hard = "maybe", false },
		"hard":  func(r *agent.PolicyRule) { r.Do = agent.PolicyAsk },
		"role":  func(r *agent.PolicyRule) { r.Role = "owner" },
		"tool":  func(r *agent.PolicyRule) { r.Tool = "a b" },
		"match": func(r *agent.PolicyRule) { r.Match = []agent.ArgumentMatch{{Path: "sku", Pattern: "A"}} },
	} {
		wrong := fine
		change(&wrong)
		if p := wrong.Problems(); len(p) != 1 || p[field] == "" {
			t.Errorf("%s: got %v", field, p)
		}
	}
	for name, match := range map[string][]agent.ArgumentMatch{
		"no value": {{Path: "$.a"}}, "a long value": {{Path: "$.a", Pattern: strings.Repeat("a", 1001)}},
		"many": make([]agent.ArgumentMatch, 11), "an open bracket": {{Path: "$.a[", Pattern: "*"}},
	} {
		wrong := fine
		wrong.Match = match
		if wrong.Problems()["match"] == "" {
			t.Errorf("%s is taken", name)
		}
	}
	if got := fine.Summary(); got != "deny always mcp__Shop__* for end_user where $.items[0]['the sku'] is A-*" {
		t.Errorf("it says %q", got)
	}
}

// Whatever leave fits, a question and a denial fit too: no way of writing
// arguments gets past those and not past leave.
func FuzzPolicy_Arguments(f *testing.F) {
	f.Add("$.sku", "A-*", `{"sku":"A-1","SKU":"B"}`)
	f.Add("$.to[*].name", "*", `{"to":[{"name":1.0},[],{"name":null}]}`)
	f.Add("$['a b'][0]", "1", `{"a b":[1]}`)
	f.Fuzz(func(t *testing.T, path, pattern, arguments string) {
		covers := func(do agent.PolicyVerb) bool {
			rule := agent.PolicyRule{Name: "r", Do: do, Match: []agent.ArgumentMatch{{Path: path, Pattern: pattern}}}
			return agent.Policy{rule}.Over(agent.Case{Call: agent.ToolCallRequested{Tool: "save", Arguments: arguments}}).Rule != nil
		}
		if covers(agent.PolicyAllow) && !(covers(agent.PolicyAsk) && covers(agent.PolicyDeny)) {
			t.Errorf("%s is %s: leave alone covers %s", path, pattern, arguments)
		}
	})
}
