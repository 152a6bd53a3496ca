package agent

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// No two lists of parts bind alike, however the bytes are spread over them.
func TestDigest_PartsAreApart(t *testing.T) {
	t.Parallel()
	parts := rapid.SliceOfN(rapid.SliceOfN(rapid.ByteRange(0, 2), 0, 4), 0, 5)
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		same := len(a) == len(b)
		for i := 0; same && i < len(a); i++ {
			same = string(a[i]) == string(b[i])
		}
		if (digest(a...) == digest(b...)) != same {
			t.Errorf("%v and %v bind alike", a, b)
		}
	})
}

// A binding covers everything that a person decides on.
func TestBind_CoversTheCall(t *testing.T) {
	t.Parallel()
	call := ToolCallRequested{Call: "t_1", Attempt: "a_1", Tool: "save", Arguments: `{"n":1}`, Definition: "d"}
	seen := map[string]string{bind("r_1", call): "the call itself"}
	for name, other := range map[string]func(*ToolCallRequested) RunID{
		"another run":          func(*ToolCallRequested) RunID { return "r_2" },
		"another call":         func(c *ToolCallRequested) RunID { c.Call = "t_2"; return "r_1" },
		"another tool":         func(c *ToolCallRequested) RunID { c.Tool = "drop"; return "r_1" },
		"another definition":   func(c *ToolCallRequested) RunID { c.Definition = "e"; return "r_1" },
		"other arguments":      func(c *ToolCallRequested) RunID { c.Arguments = `{"n":2}`; return "r_1" },
		"other spacing":        func(c *ToolCallRequested) RunID { c.Arguments = `{"n": 1}`; return "r_1" },
		"another number":       func(c *ToolCallRequested) RunID { c.Arguments = `{"n":1.0}`; return "r_1" },
		"another escape":       func(c *ToolCallRequested) RunID { c.Arguments = `{"\u006e":1}`; return "r_1" },
		"a name that is twice": func(c *ToolCallRequested) RunID { c.Arguments = `{"n":1,"n":1}`; return "r_1" },
		"no arguments":         func(c *ToolCallRequested) RunID { c.Arguments = ""; return "r_1" },
	} {
		c := call
		run := other(&c)
		key := bind(run, c)
		if before, ok := seen[key]; ok {
			t.Errorf("%s binds like %s", name, before)
		}
		seen[key] = name
	}
}

func TestDefinition_HashCoversEveryField(t *testing.T) {
	t.Parallel()
	d := ToolDefinition{Name: "n", Title: "t", Description: "d", Parameters: json.RawMessage(`{}`)}
	seen := map[string]string{d.hash(): "the definition itself"}
	for name, other := range map[string]ToolDefinition{
		"name":        {Name: "m", Title: "t", Description: "d", Parameters: json.RawMessage(`{}`)},
		"title":       {Name: "n", Title: "u", Description: "d", Parameters: json.RawMessage(`{}`)},
		"description": {Name: "n", Title: "t", Description: "e", Parameters: json.RawMessage(`{}`)},
		"parameters":  {Name: "n", Title: "t", Description: "d", Parameters: json.RawMessage(`{"a":1}`)},
		"read only":   {Name: "n", Title: "t", Description: "d", Parameters: json.RawMessage(`{}`), ReadOnly: true},
	} {
		if before, ok := seen[other.hash()]; ok {
			t.Errorf("another %s hashes like %s", name, before)
		}
		seen[other.hash()] = name
	}
}

func TestDerivedIDs(t *testing.T) {
	t.Parallel()
	run, conversation := RunFor("c", "m"), ConversationFor("u", "m")
	if again := RunFor("c", "m"); again != run {
		t.Errorf("the same run has two names: %s and %s", run, again)
	}
	if again := ConversationFor("u", "m"); again != conversation {
		t.Errorf("the same conversation has two names: %s and %s", conversation, again)
	}
	if RunFor("c1", "m") == RunFor("c", "1m") || RunFor("c", "m") == RunFor("d", "m") || ConversationFor("u", "m") == ConversationFor("v", "m") {
		t.Error("two requests have one name")
	}
	seen := map[string]bool{}
	for range 1000 {
		id := NewID("x_")
		if seen[id] || len(id) != 26 {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}
