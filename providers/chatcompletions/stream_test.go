package chatcompletions_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func cannedClient(t testing.TB, body []byte) *chatcompletions.Client {
	t.Helper()
	client, err := chatcompletions.New(chatcompletions.Config{
		BaseURL: "http://api.example/v1", HTTPClient: providertest.Canned(body),
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// play performs one attempt against frames, the data of one event each.
func play(t testing.TB, frames ...string) providertest.Outcome {
	t.Helper()
	var body bytes.Buffer
	for _, f := range frames {
		body.WriteString("data: " + f + "\n\n")
	}
	return providertest.Stream(t.Context(), t, cannedClient(t, body.Bytes()), providertest.NewRequest(true, "read", "write"))
}

// chunk returns a chunk with this delta; ending is a finish reason or "".
func chunk(delta, ending string) string {
	return `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":"` + ending + `"}]}`
}

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	const call = `{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{}"}}]}`
	tests := []struct {
		name   string
		frames []string
		want   providers.FinishReason
		runs   bool
	}{
		{"stop", []string{chunk(`{"content":"a"}`, "stop")}, providers.FinishStop, false},
		{"eos", []string{chunk(`{"content":"a"}`, "eos")}, providers.FinishStop, false},
		{"upper case", []string{chunk(`{"content":"a"}`, "STOP")}, providers.FinishStop, false},
		{"model_length", []string{chunk(`{"content":"a"}`, "model_length")}, providers.FinishLength, false},
		{"SAFETY", []string{chunk(`{"content":"a"}`, "SAFETY")}, providers.FinishContentFilter, false},
		{"unknown", []string{chunk(`{"content":"a"}`, "bored")}, providers.FinishStop, false},
		{"calls with stop", []string{chunk(call, "stop")}, providers.FinishToolCalls, true},
		{"calls with function_call", []string{chunk(call, "function_call")}, providers.FinishToolCalls, true},
		{"calls with unknown", []string{chunk(call, "bored")}, providers.FinishOther, false},
		{"calls with content_filter", []string{chunk(call, "content_filter")}, providers.FinishContentFilter, false},
		{"calls with a refusal", []string{chunk(call, ""), chunk(`{"refusal":"no"}`, "tool_calls")}, providers.FinishRefusal, false},
		{"repeated", []string{chunk(call, "tool_calls"), chunk(`{}`, "tool_calls")}, providers.FinishToolCalls, true},
		{"stop, then length", []string{chunk(call, "stop"), chunk(`{}`, "length")}, providers.FinishLength, false},
		{"length, then stop", []string{chunk(call, "length"), chunk(`{}`, "stop")}, providers.FinishLength, false},
		{"length, then content_filter", []string{chunk(call, "length"), chunk(`{}`, "content_filter")}, providers.FinishContentFilter, false},
		{"stop, then unknown", []string{chunk(call, "stop"), chunk(`{}`, "bored")}, providers.FinishOther, false},
		{"empty and null", []string{chunk(`{"content":"a"}`, ""), `{"choices":[{"delta":{},"finish_reason":null}]}`, chunk(`{}`, "stop")}, providers.FinishStop, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := play(t, tt.frames...)
			if got.Finish == nil {
				t.Fatalf("got %v", got.Failure)
			}
			runs := slices.ContainsFunc(got.Finish.Calls, func(c providers.ToolCall) bool { return c.Executable })
			if got.Finish.Reason != tt.want || runs != tt.runs {
				t.Errorf("got %s, executable %v, want %s, %v", got.Finish.Reason, runs, tt.want, tt.runs)
			}
			if !got.Finish.Reason.Complete() && got.Finish.Reason != providers.FinishRefusal && got.Finish.Replay != nil {
				t.Error("a cut answer has private state for the history")
			}
		})
	}
}

func TestFailuresInTheStream(t *testing.T) {
	t.Parallel()
	text, stop := chunk(`{"content":"a"}`, ""), chunk(`{}`, "stop")
	network := func(code string) providers.Error {
		return providers.Error{Category: providers.CategoryNetwork, Code: code, Retryable: true}
	}
	parser := func(code string) providers.Error {
		return providers.Error{Category: providers.CategoryParser, Code: code}
	}
	server := providers.Error{Category: providers.CategoryServer, Retryable: true}
	tests := []struct {
		name   string
		frames []string
		want   providers.Error
	}{
		{"announced end alone", []string{"[DONE]"}, network(upstream.CodeMissingFinishReason)},
		{"nothing", nil, network(upstream.CodeEmptyStream)},
		{"no finish", []string{text}, network(upstream.CodeStreamEndedEarly)},
		{"error after the finish", []string{text, stop, `{"error":{"message":"x"}}`}, server},
		{"broken JSON after the finish", []string{text, stop, `{"choices":`}, parser(upstream.CodeInvalidSSEJSON)},
		{"string", []string{`{"error":"the model has crashed"}`}, server},
		{"array", []string{`[{"error":{"code":503,"status":"UNAVAILABLE"}}]`},
			providers.Error{Category: providers.CategoryOverloaded, Code: "UNAVAILABLE", Retryable: true}},
		{"flat", []string{`{"object":"error","message":"x","type":"BadRequestError","code":400}`},
			providers.Error{Category: providers.CategoryInvalidRequest, Code: "BadRequestError"}},
		{"error_type", []string{`{"error_type":"rate_limit_exceeded","error_message":"x"}`},
			providers.Error{Category: providers.CategoryRateLimit, Code: "rate_limit_exceeded", Retryable: true}},
		{"detail", []string{`{"detail":"Internal failure"}`}, server},
		{"finish reason error", []string{text, chunk(`{}`, "error")}, server},
		{"finish reason aborted", []string{text, chunk(`{}`, "aborted")},
			providers.Error{Category: providers.CategoryOverloaded, Retryable: true}},
		{"native error behind stop", []string{text, `{"choices":[{"delta":{},"finish_reason":"stop","native_finish_reason":"error"}]}`}, server},
		{"native malformed call on the delta", []string{`{"choices":[{"delta":{"provider_specific_fields":{"native_finish_reason":"UNEXPECTED_TOOL_CALL"}},"finish_reason":"stop"}]}`},
			providers.Error{Category: providers.CategoryServer, Code: upstream.CodeMalformedFunctionCall, Retryable: true}},
		{"old function call", []string{chunk(`{"function_call":{"name":"read"}}`, "")}, parser(upstream.CodeUnsupportedFunctionCall)},
		{"content of another type", []string{chunk(`{"content":5}`, "")}, parser(upstream.CodeInvalidContentBlock)},
		{"choices of another type", []string{`{"choices":{}}`}, parser(upstream.CodeInvalidSSEJSON)},
		{"no object", []string{`"hello"`}, parser(upstream.CodeUnexpectedStreamFormat)},
		{"no stream", []string{`{"object":"chat.completion","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`},
			parser(upstream.CodeUnexpectedStreamFormat)},
		{"calls promised", []string{chunk(`{"content":"a"}`, "tool_calls")},
			providers.Error{Category: providers.CategoryParser, Code: upstream.CodeMissingToolCall, Retryable: true}},
		{"id of the generation", []string{`{"id":"gen-1","choices":[]}`, `{"error":{"message":"x"}}`},
			providers.Error{Category: providers.CategoryServer, Retryable: true, RequestID: "gen-1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.API, tt.want.HTTPStatus = providers.APIChatCompletions, 200
			got := play(t, tt.frames...)
			if diff := cmp.Diff(&tt.want, got.Failure); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A frame may be large for the length of a string, not for the number of
// objects; and one that holds an error is not overlooked for its size.
func TestLargeFrames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("{[", 1<<20)
	if got := play(t, chunk(`{"content":"`+long+`"}`, "stop")); got.Text != long {
		t.Errorf("got %d bytes and %v, want %d bytes", len(got.Text), got.Failure, len(long))
	}
	many := `{"choices":[` + strings.Repeat(`{},`, 100_000) + `{}]}`
	if got := play(t, many); got.Failure == nil || got.Failure.Code != upstream.CodeEventTooLarge {
		t.Errorf("got %v for many objects", got.Failure)
	}
	failed := `{"error":{"message":"x","raw":"` + long + `"},"choices":[]}`
	if got := play(t, chunk(`{"content":"a"}`, "stop"), failed); got.Failure == nil || got.Failure.Category != providers.CategoryServer {
		t.Errorf("got %+v for a large error", got)
	}
	var entries []string
	for i := range 1100 {
		entries = append(entries, chunk(`{"reasoning_details":[{"index":`+strconv.Itoa(i)+`}]}`, ""))
	}
	if got := play(t, entries...); got.Failure == nil || got.Failure.Code != upstream.CodeStreamTooLarge {
		t.Errorf("got %v for many details", got.Failure)
	}
}

// What is no failure: unknown frames, members of odd types where we need none,
// and a null error.
func TestTolerance(t *testing.T) {
	t.Parallel()
	got := play(t,
		`{"type":"ping"}`, `{"id":7,"object":null,"choices":[],"usage":"many","error":null}`, `{"error":""}`,
		`{"choices":[{"index":0,"delta":{"role":"","content":"a","reasoning":5,"reasoning_details":"x","audio":{}},"finish_reason":""}],"x_groq":1}`,
		`{"choices":[{"index":1,"delta":{"content":"other","tool_calls":[{"index":"x"}]},"finish_reason":"error"}]}`,
		chunk(`{"content":[{"type":"thinking","thinking":"hidden"},{"type":"text","text":"b"}]}`, ""),
		chunk(`null`, "stop"),
		`{"choices":[],"usage":{"prompt_tokens":3.5,"completion_tokens":-1,"total_tokens":10,"prompt_tokens_details":7}}`,
	)
	if got.Finish == nil || got.Text != "ab" || got.Reasoning != "" {
		t.Fatalf("got %+v", got)
	}
	if got.Finish.Usage.Known() {
		t.Errorf("got usage %+v out of nothing", got.Finish.Usage)
	}
}

func TestReasoningIsDisplayedOnce(t *testing.T) {
	t.Parallel()
	got := play(t,
		chunk(`{"reasoning_content":"a","reasoning":"a"}`, ""),
		chunk(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0}]}`, ""),
		chunk(`{"reasoning_details":[{"type":"reasoning.summary","summary":"c","index":1},{"type":"reasoning.encrypted","data":"secret"}]}`, ""),
		chunk(`{"content":"x"}`, "stop"),
	)
	if got.Reasoning != "abc" {
		t.Errorf("got %q, want %q", got.Reasoning, "abc")
	}
}

// Only the first piece of answer after hidden thinking loses a closing tag.
func TestClosingTagElsewhereIsText(t *testing.T) {
	t.Parallel()
	flagged := `{"content":"<thought>hm","extra_content":{"google":{"thought":true}}}`
	got := play(t, chunk(flagged, ""), chunk(`{"content":""}`, ""), chunk(`{"content":"</thought>a"}`, ""), chunk(`{"content":"</thought>b"}`, "stop"))
	if got.Text != "a</thought>b" {
		t.Errorf("got %q", got.Text)
	}
	got = play(t, chunk(`{"content":"</thought>a"}`, "stop"))
	if got.Text != "</thought>a" {
		t.Errorf("got %q without thinking", got.Text)
	}
}

func TestErrorEventIsReadByItsName(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`{"message":"x"}`, `not JSON`, `{"choices":[]}`} {
		client := cannedClient(t, []byte("event: error\ndata: "+data+"\n\n"))
		got := providertest.Stream(t.Context(), t, client, providertest.NewRequest(true))
		if got.Failure == nil || got.Failure.Category != providers.CategoryServer {
			t.Errorf("%s: got %+v, want a failure of the server", data, got)
		}
	}
}

func TestUsageIsTheLastReport(t *testing.T) {
	t.Parallel()
	usage := func(n string) string { return `{"prompt_tokens":` + n + `,"completion_tokens":1}` }
	for name, frames := range map[string][]string{
		"in the choice": {`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop","usage":` + usage("7") + `}]}`},
		"x_groq":        {chunk(`{"content":"a"}`, "stop"), `{"choices":[],"x_groq":{"usage":` + usage("7") + `}}`},
		"no choices":    {chunk(`{"content":"a"}`, "stop"), `{"usage":` + usage("7") + `}`},
		"two reports":   {`{"choices":[],"usage":` + usage("3") + `}`, chunk(`{"content":"a"}`, "stop"), `{"choices":[],"usage":` + usage("7") + `}`, `{"choices":[],"usage":null}`},
	} {
		got := play(t, append(frames, "[DONE]")...)
		if got.Finish == nil || got.Finish.Usage.InputTotal == nil || *got.Finish.Usage.InputTotal != 7 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestRawReasonIsBounded(t *testing.T) {
	t.Parallel()
	got := play(t, chunk(`{"content":"a"}`, strings.Repeat("é", 100)))
	if got.Finish == nil || got.Finish.RawReason != strings.Repeat("é", 32) {
		t.Errorf("got %+v", got.Finish)
	}
}

func BenchmarkStream(b *testing.B) {
	const chunks = 1000
	var body bytes.Buffer
	for range chunks {
		body.WriteString("data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1793000000,\"model\":\"gpt-5.2\"," +
			"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello there \"},\"logprobs\":null,\"finish_reason\":null}],\"usage\":null}\n\n")
	}
	body.WriteString("data: " + chunk(`{}`, "stop") + "\n\ndata: [DONE]\n\n")
	client := cannedClient(b, body.Bytes())
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range client.Stream(b.Context(), providertest.NewRequest(false)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
