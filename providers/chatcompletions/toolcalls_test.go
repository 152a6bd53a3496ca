package chatcompletions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/upstream"
)

// calls returns a chunk with these entries of tool_calls.
func callsChunk(entries ...string) string {
	return chunk(`{"tool_calls":[`+strings.Join(entries, ",")+`]}`, "")
}

func TestToolCallAssembly(t *testing.T) {
	t.Parallel()
	call := func(id, name, arguments string) providers.ToolCall {
		return providers.ToolCall{ID: id, Name: name, Arguments: arguments, Executable: true}
	}
	tests := []struct {
		name    string
		entries []string // one chunk each
		want    []providers.ToolCall
	}{
		{"gaps and any order", []string{
			`{"index":127,"id":"a","function":{"name":"read","arguments":"{"}}`,
			`{"index":3,"id":"b","function":{"name":"write","arguments":"{\"x\":1}"}}`,
			`{"index":127,"function":{"arguments":"}"}}`,
		}, []providers.ToolCall{call("a", "read", "{}"), call("b", "write", `{"x":1}`)}},
		{"nulls are ignored", []string{
			`{"index":0,"id":"a","function":{"name":"read","arguments":null}}`,
			`{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{}"}}`,
			`{"index":0,"function":null}`, `{}`, `null`, `{"index":1}`,
		}, []providers.ToolCall{call("a", "read", "{}")}},
		{"late id", []string{
			`{"index":0,"function":{"name":"read","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`,
		}, []providers.ToolCall{call("a", "read", "{}")}},
		{"arguments are kept byte for byte", []string{
			`{"index":0,"id":"a","function":{"name":"read","arguments":" { \"b\" : 1.0 ,\"a\":\"\\u00e9<>&\", "}}`,
			`{"index":0,"function":{"arguments":"\"a\":2}\n"}}`,
		}, []providers.ToolCall{call("a", "read", " { \"b\" : 1.0 ,\"a\":\"\\u00e9<>&\", \"a\":2}\n")}},
		{"a replacement character that was meant", []string{
			`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"x\":\"\uFFFD\"}"}}`,
		}, []providers.ToolCall{call("a", "read", "{\"x\":\"\ufffd\"}")}},
		{"-1 is no index", []string{
			`{"index":-1,"id":"a","function":{"name":"read","arguments":"{}"}}`,
			`{"index":null,"id":"b","function":{"name":"read"}}`,
		}, []providers.ToolCall{call("a", "read", "{}"), call("b", "read", "")}},
		{"metadata by id", []string{
			`{"id":"a","function":{"name":"read","arguments":"{}"}}`, `{"id":"a","extra_content":{"google":{}}}`,
		}, []providers.ToolCall{call("a", "read", "{}")}},
		{"undeclared name", []string{`{"index":0,"id":"a","function":{"name":"delete","arguments":"{}"}}`},
			[]providers.ToolCall{{ID: "a", Name: "delete", Arguments: "{}"}}},
		{"name of another case", []string{`{"index":0,"id":"a","function":{"name":"Read","arguments":"{}"}}`},
			[]providers.ToolCall{{ID: "a", Name: "Read", Arguments: "{}"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var frames []string
			for _, e := range tt.entries {
				frames = append(frames, callsChunk(e))
			}
			got := play(t, append(frames, chunk(`{}`, "tool_calls"))...)
			if got.Finish == nil {
				t.Fatalf("got %v", got.Failure)
			}
			if diff := cmp.Diff(tt.want, got.Finish.Calls); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestToolCallsThatAreRejected(t *testing.T) {
	t.Parallel()
	const whole = `{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}`
	tests := []struct {
		name    string
		entries []string
		code    string
	}{
		{"index of text", []string{`{"index":"0","id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"index with a fraction", []string{`{"index":0.0,"id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"boolean index", []string{`{"index":false,"id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"negative index", []string{`{"index":-2,"id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"index too large", []string{`{"index":128,"id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"index beyond numbers", []string{`{"index":99999999999999999999,"id":"a","function":{"name":"read"}}`}, upstream.CodeInvalidToolCallIndex},
		{"other id without a name", []string{whole, `{"index":0,"id":"b","function":{"arguments":"x"}}`}, upstream.CodeInvalidToolCallIndex},
		{"other name without an id", []string{whole, `{"index":0,"function":{"name":"write"}}`}, upstream.CodeInvalidToolCallIndex},
		{"whole call again without ids", []string{
			`{"index":0,"function":{"name":"read","arguments":"{}"}}`, `{"index":0,"function":{"name":"read","arguments":"{}"}}`,
		}, upstream.CodeInvalidToolCallIndex},
		{"piece without an index", []string{whole, `{"function":{"arguments":"{}"}}`}, upstream.CodeInvalidToolCallIndex},
		{"partial call without an index", []string{`{"id":"a","function":{"name":"read","arguments":"{"}}`}, upstream.CodeInvalidToolCallIndex},
		{"two objects without an index", []string{`{"id":"a","function":{"name":"read","arguments":"{}{}"}}`}, upstream.CodeInvalidToolCallIndex},
		{"same id again without an index", []string{whole, `{"id":"a","function":{"name":"read","arguments":"{}"}}`}, upstream.CodeInvalidToolCallIndex},
		{"metadata for an unknown call", []string{`{"id":"z","extra_content":{"google":{}}}`}, upstream.CodeInvalidToolCallIndex},
		{"id alone", []string{whole, `{"id":"a"}`}, upstream.CodeInvalidToolCallIndex},
		{"arguments as an object", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":{"x":1}}}`}, upstream.CodeInvalidToolCallArguments},
		{"half a character", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"x\":\"\ud83d\"}"}}`}, upstream.CodeInvalidToolCallArguments},
		{"bytes that are no text", []string{"{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read\",\"arguments\":\"{\\\"x\\\":\\\"\xff\\\"}\"}}"}, upstream.CodeInvalidToolCallArguments},
		{"arguments that are an array", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":"[]"}}`}, upstream.CodeInvalidToolCallArguments},
		{"arguments that are null", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":"null"}}`}, upstream.CodeInvalidToolCallArguments},
		{"arguments of spaces", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":" "}}`}, upstream.CodeInvalidToolCallArguments},
		{"two objects", []string{`{"index":0,"id":"a","function":{"name":"read","arguments":"{}{}"}}`}, upstream.CodeInvalidToolCallArguments},
		{"duplicate id", []string{whole, `{"index":1,"id":"a","function":{"name":"read","arguments":"{}"}}`}, upstream.CodeDuplicateToolCallID},
		{"no name", []string{`{"index":0,"id":"a","function":{"arguments":"{}"}}`}, upstream.CodeMissingToolCallName},
		{"id of another type", []string{`{"index":0,"id":5,"function":{"name":"read"}}`}, upstream.CodeInvalidSSEJSON},
		{"endless name", []string{`{"index":0,"function":{"name":"` + strings.Repeat("n", 2000) + `"}}`}, upstream.CodeEventTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var frames []string
			for _, e := range tt.entries {
				frames = append(frames, callsChunk(e))
			}
			got := play(t, append(frames, chunk(`{}`, "tool_calls"))...)
			if got.Failure == nil {
				t.Fatalf("got %+v, want %s", got.Finish, tt.code)
			}
			if got.Failure.Code != tt.code || got.Failure.Category != providers.CategoryParser {
				t.Errorf("got %v, want %s", got.Failure, tt.code)
			}
		})
	}
}

func manyCalls(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"id":"c%d","function":{"name":"read"}}`, i))
	}
	return out
}

func TestArgumentsAreBounded(t *testing.T) {
	t.Parallel()
	piece := callsChunk(`{"index":0,"id":"a","function":{"name":"read","arguments":"` + strings.Repeat("x", 1<<20) + `"}}`)
	var frames []string
	for range 9 {
		frames = append(frames, piece)
	}
	if got := play(t, frames...); got.Failure == nil || got.Failure.Code != upstream.CodeStreamTooLarge {
		t.Errorf("got %v", got.Failure)
	}
}

// Ids that no one should see, or that are not unique where it no longer
// matters, have an id of ours in their place.
func TestLocalIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "call_x__thought__c2ln", strings.Repeat("a", 65), "<b>", "a b", "ид"} {
		got := play(t, callsChunk(`{"index":0,"id":"`+id+`","function":{"name":"read","arguments":"{}"}}`), chunk(`{}`, "stop"))
		if got.Finish == nil || len(got.Finish.Calls) != 1 {
			t.Fatalf("%q: got %+v", id, got)
		}
		if c := got.Finish.Calls[0]; c.ID == id || !strings.HasPrefix(c.ID, "call_") || !c.Executable {
			t.Errorf("%q: got %+v", id, c)
		}
	}
	twice := callsChunk(`{"index":0,"id":"a","function":{"name":"read"}}`, `{"index":1,"id":"a","function":{"name":"read"}}`)
	got := play(t, twice, chunk(`{}`, "length"))
	if got.Finish == nil || len(got.Finish.Calls) != 2 || got.Finish.Calls[0].ID == got.Finish.Calls[1].ID {
		t.Errorf("got %+v", got.Finish)
	}
}
