package anthropic_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	text, call := textBlock(0, "a"), callBlock(1, "toolu_1", "read", "{}")
	null := `{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":5}}`
	tests := []struct {
		name   string
		events []string
		want   providers.FinishReason
		runs   bool
	}{
		{"end_turn", answer("end_turn", text), providers.FinishStop, false},
		{"stop_sequence", answer("stop_sequence", text), providers.FinishStop, false},
		{"max_tokens", answer("max_tokens", text), providers.FinishLength, false},
		{"refusal", answer("refusal", text), providers.FinishRefusal, false},
		{"pause_turn", answer("pause_turn", text), providers.FinishPause, false},
		{"model_context_window_exceeded", answer("model_context_window_exceeded", text), providers.FinishContextLength, false},
		{"compaction", answer("compaction", text), providers.FinishOther, false},
		{"unknown", answer("bored", text), providers.FinishOther, false},
		{"upper case", answer("END_TURN", text), providers.FinishOther, false},
		{"null", []string{start, text[0], text[1], text[2], null, stop}, providers.FinishOther, false},
		{"no message_delta", []string{start, text[0], text[1], text[2], stop}, providers.FinishOther, false},
		{"null after a reason", []string{start, text[0], text[1], text[2], ending("end_turn"), null, stop}, providers.FinishStop, false},
		{"the last reason counts", []string{start, call[0], call[2], ending("tool_use"), ending("max_tokens"), stop}, providers.FinishLength, false},
		{"tool_use", answer("tool_use", text, call), providers.FinishToolCalls, true},
		{"calls with end_turn", answer("end_turn", text, call), providers.FinishOther, false},
		{"calls with max_tokens", answer("max_tokens", text, call), providers.FinishLength, false},
		{"calls with pause_turn", answer("pause_turn", text, call), providers.FinishPause, false},
		{"calls with null", []string{start, call[0], call[1], call[2], null, stop}, providers.FinishOther, false},
		{"open block cut", []string{start, call[0], ending("max_tokens"), stop}, providers.FinishLength, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, tt.events...)
			if got.Finish == nil {
				t.Fatalf("got %v", got.Failure)
			}
			runs := slices.ContainsFunc(got.Finish.Calls, func(c providers.ToolCall) bool { return c.Executable })
			if got.Finish.Reason != tt.want || runs != tt.runs {
				t.Errorf("got %s, executable %v, want %s, %v", got.Finish.Reason, runs, tt.want, tt.runs)
			}
		})
	}
}

func TestFailuresInTheStream(t *testing.T) {
	t.Parallel()
	text := textBlock(0, "a")
	block := providers.Error{Category: providers.CategoryParser, Code: upstream.CodeInvalidContentBlock}
	format := providers.Error{Category: providers.CategoryParser, Code: upstream.CodeUnexpectedStreamFormat}
	again := func(code string) providers.Error {
		return providers.Error{Category: providers.CategoryParser, Code: code, Retryable: true}
	}
	server := providers.Error{Category: providers.CategoryServer, Retryable: true}
	tests := []struct {
		name   string
		events []string
		want   providers.Error
	}{
		{"nothing", nil, providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeEmptyStream, Retryable: true}},
		{"no message_stop", []string{start, text[0], text[1], text[2], ending("end_turn")},
			providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeStreamEndedEarly, Retryable: true}},
		{"announced end", []string{start, text[0], text[1], text[2], ending("end_turn"), "[DONE]"},
			providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeStreamEndedEarly, Retryable: true}},
		{"error without details", []string{start, `{"type":"error"}`}, server},
		{"error of another form", []string{start, `{"error":"it broke"}`}, server},
		{"error after the end", append(answer("end_turn", text), `{"type":"error","error":{"type":"api_error","message":"x"}}`),
			providers.Error{Category: providers.CategoryServer, Code: "api_error", Retryable: true}},
		{"error in the place of an object", []string{`[{"error":{"code":503,"status":"UNAVAILABLE"}}]`},
			providers.Error{Category: providers.CategoryOverloaded, Code: "UNAVAILABLE", Retryable: true}},
		{"overloaded", []string{start, `{"type":"error","error":{"type":"overloaded_error","message":"x"},"request_id":"req_9"}`},
			providers.Error{Category: providers.CategoryOverloaded, Code: "overloaded_error", Retryable: true, RequestID: "req_9"}},
		{"broken JSON", []string{start, `{"type":"content_block_start",`}, providers.Error{Category: providers.CategoryParser, Code: upstream.CodeInvalidSSEJSON}},
		{"no object", []string{`"hello"`}, format},
		{"chat chunks", []string{`{"object":"chat.completion.chunk","choices":[]}`}, format},
		{"no beginning", []string{text[0], text[1]}, format},
		{"an end alone", []string{stop}, format},
		{"second beginning", []string{start, start}, again(upstream.CodeDuplicateMessageStart)},
		{"second beginning after the end", append(answer("end_turn", text), start), again(upstream.CodeDuplicateMessageStart)},
		{"block after the end", append(answer("end_turn", text), text[0]), block},
		{"piece of no block", []string{start, text[1]}, block},
		{"piece of a closed block", []string{start, text[0], text[2], text[1]}, block},
		{"end of no block", []string{start, text[2]}, block},
		{"second start of an open block", []string{start, text[0], text[0]}, block},
		{"block without an index", []string{start, `{"type":"content_block_start","content_block":{"type":"text","text":""}}`}, block},
		{"negative index", []string{start, begin(-1, `{"type":"text","text":""}`)}, block},
		{"block without a type", []string{start, begin(0, `{"text":"a"}`)}, block},
		{"block that is none", []string{start, begin(0, `"text"`)}, block},
		{"block that is missing", []string{start, `{"type":"content_block_start","index":0}`}, block},
		{"piece without a type", []string{start, text[0], piece(0, `{"text":"a"}`)}, block},
		{"thinking in a text", []string{start, text[0], piece(0, `{"type":"thinking_delta","thinking":"a"}`)}, block},
		{"signature of a text", []string{start, text[0], piece(0, `{"type":"signature_delta","signature":"a"}`)}, block},
		{"input of a text", []string{start, text[0], piece(0, `{"type":"input_json_delta","partial_json":"{}"}`)}, block},
		{"text in redacted thinking", []string{start, begin(0, `{"type":"redacted_thinking","data":"x"}`), piece(0, `{"type":"text_delta","text":"a"}`)}, block},
		{"text that is no string", []string{start, text[0], piece(0, `{"type":"text_delta","text":5}`)}, block},
		{"thinking with half a character", []string{start, begin(0, `{"type":"thinking","thinking":"\ud83d"}`)}, block},
		{"signature that is no string", []string{start, begin(0, `{"type":"thinking","signature":{}}`)}, block},
		{"open block at the end", []string{start, text[0], text[1], ending("end_turn"), stop}, block},
		{"open call at the end", []string{start, begin(0, `{"type":"tool_use","id":"toolu_1","name":"read","input":{}}`), ending("tool_use"), stop}, block},
		{"input of a server's tool", answer("end_turn", []string{
			begin(0, `{"type":"server_tool_use","id":"s","name":"x","input":{}}`), piece(0, `{"type":"input_json_delta","partial_json":"{"}`), end(0),
		}), block},
		{"calls promised", answer("tool_use", text), again(upstream.CodeMissingToolCall)},
		{"call without an id", answer("tool_use", callBlock(0, "", "read", "{}")), block},
		{"call without a name", answer("tool_use", callBlock(0, "toolu_1", "", "{}")), again(upstream.CodeMissingToolCallName)},
		{"two calls of one id", answer("tool_use", callBlock(0, "toolu_1", "read", "{}"), callBlock(1, "toolu_1", "write", "{}")), again(upstream.CodeDuplicateToolCallID)},
		{"endless name", answer("tool_use", callBlock(0, "toolu_1", strings.Repeat("n", 2000), "{}")), providers.Error{Category: providers.CategoryParser, Code: upstream.CodeEventTooLarge}},
	}
	for _, input := range []string{`[1]`, `null`, `{}{}`, `{"x":`, ` `, `5`} {
		tests = append(tests, struct {
			name   string
			events []string
			want   providers.Error
		}{"input " + input, answer("tool_use", callBlock(0, "toolu_1", "read", input)), again(upstream.CodeInvalidToolCallArguments)})
	}
	for name, fragment := range map[string]string{"an object": `{"x":1}`, "half a character": `"\ud83d"`} {
		tests = append(tests, struct {
			name   string
			events []string
			want   providers.Error
		}{"fragment of " + name, []string{start, callBlock(0, "toolu_1", "read", "")[0], piece(0, `{"type":"input_json_delta","partial_json":`+fragment+`}`)},
			again(upstream.CodeInvalidToolCallArguments)})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.API, tt.want.HTTPStatus = providers.APIAnthropic, 200
			got := play(t, tt.events...)
			if diff := cmp.Diff(&tt.want, got.Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is no failure: what we don't know, and odd types where we need none.
func TestTolerance(t *testing.T) {
	t.Parallel()
	got := play(t,
		`{"type":"ping"}`, `{"type":"message_start","message":{"id":7,"usage":"many","content":null}}`, `{"type":"future_event","index":"x","delta":5}`,
		begin(0, `{"type":"mystery","input":{"a":1},"text":"hidden"}`), piece(0, `{"type":"text_delta","text":"hidden"}`), piece(0, `{"type":"future_delta"}`), end(0),
		begin(7, `{"type":"text","text":"a","citations":null}`), piece(7, `{"type":"citations_delta","citation":{}}`), piece(7, `{"type":"text_delta"}`),
		begin(2, `{"type":"text","text":null}`), piece(2, `{"type":"text_delta","text":"b\ud83d"}`), piece(7, `{"type":"text_delta","text":"c"}`), end(7), end(2),
		`{"choices":[]}`, `{"type":"message_delta","delta":"x","usage":null}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":-1,"input_tokens":2.5}}`,
		stop, stop, `{"type":"ping"}`, "[DONE]",
	)
	if got.Finish == nil || got.Text != "ab\ufffdc" || got.Reasoning != "" {
		t.Fatalf("got %+v, %v", got, got.Failure)
	}
	if got.Finish.Usage.Known() {
		t.Errorf("got usage %+v out of nothing", got.Finish.Usage)
	}
}

func TestToolCalls(t *testing.T) {
	t.Parallel()
	call := func(input string) string {
		return `{"type":"tool_use","id":"toolu_1","name":"read","input":` + input + `}`
	}
	none := piece(0, `{"type":"input_json_delta","partial_json":""}`)
	tests := []struct {
		name   string
		events []string
		want   providers.ToolCall
	}{
		{"nothing", []string{begin(0, call(`{}`)), end(0)}, providers.ToolCall{Name: "read", Executable: true}},
		{"an empty piece", []string{begin(0, call(`{ }`)), none, end(0)}, providers.ToolCall{Name: "read", Executable: true}},
		{"no input", []string{begin(0, `{"type":"tool_use","id":"toolu_1","name":"read"}`), end(0)}, providers.ToolCall{Name: "read", Executable: true}},
		{"an empty text as input", []string{begin(0, call(`""`)), end(0)}, providers.ToolCall{Name: "read", Executable: true}},
		{"all in the start", []string{begin(0, call(`{"x": 1.0}`)), none, end(0)}, providers.ToolCall{Name: "read", Arguments: `{"x": 1.0}`, Executable: true}},
		{"pieces win over the start", []string{begin(0, call(`{"x":1}`)), piece(0, `{"type":"input_json_delta","partial_json":"{\"y\":"}`), piece(0, `{"type":"input_json_delta","partial_json":"2}\n"}`), end(0)},
			providers.ToolCall{Name: "read", Arguments: "{\"y\":2}\n", Executable: true}},
		{"undeclared name", callBlock(0, "toolu_1", "delete", "{}"), providers.ToolCall{Name: "delete", Arguments: "{}"}},
		{"name of another case", callBlock(0, "toolu_1", "Read", "{}"), providers.ToolCall{Name: "Read", Arguments: "{}"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, answer("tool_use", tt.events)...)
			if got.Finish == nil {
				t.Fatalf("got %v", got.Failure)
			}
			tt.want.ID = "toolu_1"
			if diff := cmp.Diff([]providers.ToolCall{tt.want}, got.Finish.Calls); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	// An id that no one should see stays inside.
	got := play(t, answer("tool_use", callBlock(0, "toolu <b>", "read", "{}"))...)
	if got.Finish == nil || !strings.HasPrefix(got.Finish.Calls[0].ID, "call_") {
		t.Errorf("got %+v", got.Finish)
	}
}

// Thinking is shown as it is thought, a blank line between two blocks of it.
func TestThinkingIsShownInBlocks(t *testing.T) {
	t.Parallel()
	events := answer("end_turn",
		[]string{begin(0, `{"type":"thinking","thinking":"a","signature":"s"}`), piece(0, `{"type":"thinking_delta","thinking":"b"}`), end(0)},
		whole(1, `{"type":"thinking","thinking":"","signature":"s"}`), textBlock(2, "x"), thought(3, "c", "s"), textBlock(4, "y"),
	)
	if got := play(t, events...); got.Reasoning != "ab\n\nc" || got.Text != "xy" {
		t.Errorf("got %q and %q", got.Reasoning, got.Text)
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	n := func(v int64) *int64 { return &v }
	message := func(usage string) string { return `{"type":"message_start","message":{"usage":` + usage + `}}` }
	update := func(usage string) string { return `{"type":"message_delta","delta":{},"usage":` + usage + `}` }
	tests := []struct {
		name   string
		events []string
		want   providers.Usage
	}{
		{"what the start says of output", []string{message(`{"input_tokens":3,"output_tokens":8}`)}, providers.Usage{InputTotal: n(3)}},
		{"zeros", []string{message(`{"input_tokens":0,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}`), update(`{"output_tokens":0}`)},
			providers.Usage{InputTotal: n(0), CacheRead: n(0), CacheWrite: n(0), Output: n(0)}},
		{"nulls", []string{message(`{"input_tokens":3,"cache_read_input_tokens":null}`), update(`{"input_tokens":null,"output_tokens":2}`)}, providers.Usage{InputTotal: n(3), Output: n(2)}},
		{"cache without input", []string{message(`{"cache_read_input_tokens":5}`)}, providers.Usage{CacheRead: n(5)}},
		{"later ones replace", []string{message(`{"input_tokens":3,"cache_read_input_tokens":4}`), update(`{"output_tokens":2}`), update(`{"input_tokens":5,"cache_creation_input_tokens":6,"output_tokens":9}`)},
			providers.Usage{InputTotal: n(15), CacheRead: n(4), CacheWrite: n(6), Output: n(9)}},
		{"thinking of the last event", []string{message(`{}`), update(`{"output_tokens":2,"output_tokens_details":{"thinking_tokens":1}}`), update(`{"output_tokens":3,"output_tokens_details":{"thinking_tokens":2}}`)},
			providers.Usage{Output: n(3), Reasoning: n(2)}},
		{"thinking that is not repeated", []string{message(`{}`), update(`{"output_tokens":2,"output_tokens_details":{"thinking_tokens":1}}`), update(`{"output_tokens":3}`)}, providers.Usage{Output: n(3)}},
		{"absurd", []string{message(`{"input_tokens":9223372036854775807,"cache_read_input_tokens":9223372036854775807}`)}, providers.Usage{CacheRead: n(9223372036854775807)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// An attempt that fails has cost as much as one that does not.
			for _, last := range []string{stop, `{"type":"error"}`} {
				if got := play(t, append(slices.Clone(tt.events), last)...); !got.Usage.Equal(tt.want) {
					t.Errorf("got %+v, want %+v", got.Usage, tt.want)
				}
			}
		})
	}
}

// A stream may be long for its text, not for the number of its parts or the
// size of arguments.
func TestBlocksAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("{[", 1<<20)
	if got := play(t, answer("end_turn", textBlock(0, long))...); got.Text != long {
		t.Errorf("got %d bytes and %v, want %d bytes", len(got.Text), got.Failure, len(long))
	}
	var many [][]string
	for i := range 1025 {
		many = append(many, textBlock(i, "a"))
	}
	fragment := piece(0, `{"type":"input_json_delta","partial_json":"`+strings.Repeat("x", 1<<20)+`"}`)
	input := []string{callBlock(0, "toolu_1", "read", "")[0]}
	for range 9 {
		input = append(input, fragment)
	}
	for name, tt := range map[string]struct {
		events []string
		code   string
	}{
		"blocks":    {answer("end_turn", many...), upstream.CodeStreamTooLarge},
		"arguments": {answer("tool_use", input), upstream.CodeStreamTooLarge},
		"objects":   {[]string{start, begin(0, `{"type":"x","list":[`+strings.Repeat(`{},`, 100_000)+`{}]}`)}, upstream.CodeEventTooLarge},
		"id":        {answer("tool_use", callBlock(0, strings.Repeat("i", 1<<17), "read", "")), upstream.CodeEventTooLarge},
	} {
		if got := play(t, tt.events...); got.Failure == nil || got.Failure.Code != tt.code || got.Failure.Category != providers.CategoryParser {
			t.Errorf("%s: got %v, want %s", name, got.Failure, tt.code)
		}
	}
	// As many as there may be.
	if got := play(t, answer("end_turn", many[:1024]...)...); got.Finish == nil || len(got.Text) != 1024 {
		t.Errorf("got %v", got.Failure)
	}
}

func TestEventsAreReadByName(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]providers.Category{
		`{"message":"x"}`: providers.CategoryServer, `not JSON`: providers.CategoryServer, `{"type":"overloaded_error","message":"x"}`: providers.CategoryOverloaded,
	} {
		c := anthropic.Config{BaseURL: "http://api.example", HTTPClient: providertest.Canned([]byte("event: error\ndata: " + data + "\n\n"))}
		got := providertest.Stream(t.Context(), t, newClient(t, c), providertest.NewRequest(true))
		if got.Failure == nil || got.Failure.Category != want {
			t.Errorf("%s: got %+v, want %s", data, got.Failure, want)
		}
	}
}

func TestRawReasonIsBounded(t *testing.T) {
	t.Parallel()
	if got := play(t, answer(strings.Repeat("é", 100))...); got.Finish == nil || got.Finish.RawReason != strings.Repeat("é", 32) {
		t.Errorf("got %+v", got.Finish)
	}
}

func BenchmarkStream(b *testing.B) {
	const pieces = 1000
	events := []string{start, begin(0, `{"type":"text","text":""}`)}
	for i := range pieces {
		events = append(events, piece(0, `{"type":"text_delta","text":"Hello there `+strconv.Itoa(i)+` "}`))
	}
	client := canned(b, anthropic.Config{}, append(events, end(0), ending("end_turn"), stop)...)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range client.Stream(b.Context(), providertest.NewRequest(false)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pieces, "ns/event")
}
