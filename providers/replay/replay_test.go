package replay_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/replay"
)

func TestBindingNamesAllFour(t *testing.T) {
	t.Parallel()
	seen := make(map[string][]string)
	for _, parts := range [][]string{
		{"p1", "anthropic", "https://a.example", "m"}, {"p2", "anthropic", "https://a.example", "m"},
		{"p1", "responses", "https://a.example", "m"}, {"p1", "anthropic", "https://a.example/v1", "m"},
		{"p1", "anthropic", "https://a.example", "n"}, {"p1a", "nthropic", "https://a.example", "m"},
		{"p1", "anthropic", "https://a.examplem", ""},
	} {
		b := replay.Binding(parts[0], providers.API(parts[1]), parts[2], parts[3])
		if other := seen[b]; other != nil {
			t.Errorf("%q and %q are bound alike", parts, other)
		}
		seen[b] = parts
	}
}

func TestSameCalls(t *testing.T) {
	t.Parallel()
	calls := []providers.ToolCall{{ID: "a", Name: "read", Arguments: `{"x":1}`}, {ID: "b", Name: "read"}}
	digests := replay.CallDigests(calls)
	renamed := []providers.ToolCall{{ID: "t_1", Name: "read", Arguments: `{"x":1}`, Executable: true}, {ID: "t_2", Name: "read"}}
	if !replay.SameCalls(digests, renamed) {
		t.Error("ids are looked at")
	}
	for name, other := range map[string][]providers.ToolCall{
		"fewer": calls[:1], "more": append(calls[:2:2], calls[0]), "turned round": {calls[1], calls[0]},
		"arguments": {{Name: "read", Arguments: `{"x": 1}`}, calls[1]}, "name": {{Name: "write", Arguments: `{"x":1}`}, calls[1]},
		"shifted": {{Name: `read{"x":1}`}, calls[1]},
	} {
		if replay.SameCalls(digests, other) {
			t.Errorf("%s: taken for the same", name)
		}
	}
	if !replay.SameCalls(nil, nil) {
		t.Error("no calls are not the same as none")
	}
}

func TestPackKeepsBytes(t *testing.T) {
	t.Parallel()
	const raw = `{"b":1.0,"a":"<&>\u00e9\/` + "\u2028" + `","b":2e3}`
	packed := replay.Pack("here", []json.RawMessage{json.RawMessage(raw)})
	var got []json.RawMessage
	if !replay.Unpack(*packed, "here", &got) {
		t.Fatal("it is refused")
	}
	if diff := cmp.Diff(raw, string(got[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if replay.Unpack(*packed, "there", &got) || replay.Unpack(*packed, "here", new(map[string]int)) {
		t.Error("it is read by others")
	}
	if replay.Pack("here", json.RawMessage(`{`)) != nil {
		t.Error("what is no JSON is packed")
	}
}
