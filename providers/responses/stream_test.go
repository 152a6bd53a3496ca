package responses_test

import (
	"strings"
	"testing"

	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/providers/responses"
	"countersign/providers/upstream"
)

func play(t *testing.T, events ...string) providertest.Outcome {
	t.Helper()
	client := newClient(t, responses.Config{BaseURL: "http://api.example/v1", HTTPClient: providertest.Canned(stream(events...))})
	return providertest.Stream(t.Context(), t, client, providertest.NewRequest(true, "read"))
}

func call(index, id, name, arguments, status string) string {
	return `{"type":"response.output_item.done","output_index":` + index + `,"item":{"type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":` + arguments + `,"status":"` + status + `"}}`
}

// What makes a response unusable, whatever its last event says.
func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	added := `{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"read"}}`
	for name, tt := range map[string]struct {
		events   []string
		category providers.Category
		code     string
	}{
		"no JSON":                   {[]string{`{"type":`, completed}, providers.CategoryParser, upstream.CodeInvalidSSEJSON},
		"a list":                    {[]string{`[1]`, completed}, providers.CategoryParser, upstream.CodeUnexpectedStreamFormat},
		"an item that is none":      {[]string{`{"type":"response.output_item.done","output_index":0,"item":7}`, completed}, providers.CategoryParser, upstream.CodeInvalidContentBlock},
		"an item that ends twice":   {[]string{call("0", "c", "read", `"{}"`, ""), call("0", "d", "read", `"{}"`, ""), completed}, providers.CategoryParser, upstream.CodeInvalidContentBlock},
		"a delta that is no text":   {[]string{`{"type":"response.output_text.delta","output_index":0,"delta":7}`, completed}, providers.CategoryParser, upstream.CodeInvalidContentBlock},
		"an index out of range":     {[]string{`{"type":"response.output_text.delta","output_index":1024,"delta":"x"}`, completed}, providers.CategoryParser, upstream.CodeStreamTooLarge},
		"an index below zero":       {[]string{call("-1", "c", "read", `"{}"`, ""), completed}, providers.CategoryParser, upstream.CodeInvalidContentBlock},
		"a call that does not end":  {[]string{added, completed}, providers.CategoryParser, upstream.CodeMissingToolCall},
		"a call cut short":          {[]string{call("0", "c", "read", `"{}"`, "incomplete"), completed}, providers.CategoryParser, upstream.CodeMissingToolCall},
		"a call without a name":     {[]string{call("0", "c", "", `"{}"`, ""), completed}, providers.CategoryParser, upstream.CodeMissingToolCallName},
		"two calls of one id":       {[]string{call("0", "c", "read", `"{}"`, ""), call("1", "c", "read", `"{}"`, ""), completed}, providers.CategoryParser, upstream.CodeDuplicateToolCallID},
		"arguments that are a list": {[]string{call("0", "c", "read", `"[]"`, ""), completed}, providers.CategoryParser, upstream.CodeInvalidToolCallArguments},
		"arguments as an object":    {[]string{call("0", "c", "read", `{}`, ""), completed}, providers.CategoryParser, upstream.CodeInvalidToolCallArguments},
		"half a character":          {[]string{call("0", "c", "read", `"{\"a\":\"\ud83d\"}"`, ""), completed}, providers.CategoryParser, upstream.CodeInvalidToolCallArguments},
		"a second response": {[]string{`{"type":"response.created"}`, added, `{"type":"response.created"}`, completed},
			providers.CategoryParser, upstream.CodeDuplicateResponseCreated},
		"cancelled":             {[]string{`{"type":"response.completed","response":{"status":"cancelled"}}`}, providers.CategoryServer, "cancelled"},
		"failed without a word": {[]string{`{"type":"response.failed","response":{"status":"failed"}}`}, providers.CategoryServer, ""},
		"an error without a code, then one": {[]string{`{"type":"error","message":"x"}`, `{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded"}}}`},
			providers.CategoryRateLimit, "rate_limit_exceeded"},
		"a failed response called complete": {[]string{call("0", "c", "read", `"{}"`, ""), `{"type":"response.completed","response":{"status":"failed","error":{"code":"server_error"}}}`},
			providers.CategoryServer, "server_error"},
		"cancelled, as a failure": {[]string{`{"type":"response.failed","response":{"status":"cancelled","error":null}}`}, providers.CategoryServer, "cancelled"},
		"two errors": {[]string{`{"type":"error","code":"rate_limit_exceeded","message":"x"}`, `{"type":"error","message":"y"}`},
			providers.CategoryRateLimit, "rate_limit_exceeded"},
		"an error, then nonsense":        {[]string{`{"type":"error","code":"rate_limit_exceeded","message":"x"}`, `{"type":`}, providers.CategoryRateLimit, "rate_limit_exceeded"},
		"a failure after the end":        {[]string{call("0", "c", "read", `"{}"`, ""), completed, `{"type":"response.failed","response":{"error":{"code":"server_error"}}}`}, providers.CategoryServer, "server_error"},
		"a call of which no item says":   {[]string{`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`, completed}, providers.CategoryParser, upstream.CodeMissingToolCall},
		"an index that is no number":     {[]string{`{"type":"response.output_text.delta","output_index":"x","delta":"y"}`, completed}, providers.CategoryParser, upstream.CodeInvalidContentBlock},
		"an error after the end":         {[]string{completed, `{"type":"error","code":"server_error","message":"x"}`}, providers.CategoryServer, "server_error"},
		"a call whose stream has no end": {[]string{call("0", "c", "read", `"{}"`, "completed")}, providers.CategoryNetwork, upstream.CodeStreamEndedEarly},
		"many objects in a large event":  {[]string{`{"type":"x","y":[` + strings.Repeat("{},", 40_000) + `{}]}`, completed}, providers.CategoryParser, upstream.CodeEventTooLarge},
		"too many arguments": {[]string{
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"` + strings.Repeat("x", 3<<20) + `"}`,
			`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"` + strings.Repeat("x", 3<<20) + `"}`,
			`{"type":"response.function_call_arguments.delta","output_index":2,"delta":"` + strings.Repeat("x", 3<<20) + `"}`,
		}, providers.CategoryParser, upstream.CodeStreamTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(t, tt.events...)
			if f := got.Failure; f == nil || f.Category != tt.category || f.Code != tt.code {
				t.Errorf("got %+v, %v, want %s %q", got.Finish, got.Failure, tt.category, tt.code)
			}
		})
	}
}

// A finished item says what no delta said, and parts are set apart.
func TestTextOfItems(t *testing.T) {
	t.Parallel()
	if got := play(t, done("0", hello), `{"type":"response.completed"}`); got.Finish == nil || got.Finish.Reason != providers.FinishStop {
		t.Errorf("without a status: got %+v, %v", got.Finish, got.Failure)
	}
	got := play(t,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}]}}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"Hel"}`,
		`{"type":"response.output_text.delta","output_index":1,"delta":"lo."}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"Hello."}]}}`,
		`{"type":"response.output_item.done","output_index":2,"item":{"type":"message","content":[{"type":"output_text","text":"Bye."}]}}`,
		completed)
	if f := got.Finish; f == nil || f.Text != "Hello.\n\nBye." || f.Reasoning != "One.\n\nTwo." || f.Reason != providers.FinishStop {
		t.Errorf("got %+v, %v", got.Finish, got.Failure)
	}
	if strings.Contains(string(got.Finish.Replay.State), "reasoning") {
		t.Errorf("reasoning that the service can't read goes back: %s", got.Finish.Replay.State)
	}
}

// Nothing but a response that says that it is complete lets its calls run.
func TestCallsThatMustNotRun(t *testing.T) {
	t.Parallel()
	whole := call("0", "c", "read", `"{}"`, "completed")
	for name, tt := range map[string]struct {
		events []string
		want   providers.FinishReason
	}{
		"incomplete":                     {[]string{whole, `{"type":"response.incomplete","response":{"status":"incomplete"}}`}, providers.FinishOther},
		"incomplete, called complete":    {[]string{whole, `{"type":"response.completed","response":{"status":"incomplete"}}`}, providers.FinishOther},
		"in progress":                    {[]string{whole, `{"type":"response.completed","response":{"status":"in_progress"}}`}, providers.FinishOther},
		"no status":                      {[]string{whole, `{"type":"response.completed","response":{}}`}, providers.FinishOther},
		"no response":                    {[]string{whole, `{"type":"response.completed"}`}, providers.FinishOther},
		"a response of another type":     {[]string{whole, `{"type":"response.completed","response":"completed"}`}, providers.FinishOther},
		"after the end":                  {[]string{completed, whole}, providers.FinishStop},
		"too long, with what may not be": {[]string{whole, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`}, providers.FinishContentFilter},
	} {
		got := play(t, tt.events...)
		if got.Finish == nil || got.Finish.Reason != tt.want || got.Finish.Replay != nil {
			t.Errorf("%s: got %+v, %v", name, got.Finish, got.Failure)
			continue
		}
		for _, c := range got.Finish.Calls {
			if c.Executable {
				t.Errorf("%s: %+v may run", name, c)
			}
		}
	}
}

// What is not known is no matter, whatever its members hold.
func TestUnknownEvents(t *testing.T) {
	t.Parallel()
	got := play(t,
		`{"type":"keepalive","sequence_number":null}`,
		`{"type":"response.future.delta","output_index":"x","summary_index":{},"content_index":[],"delta":7,"item":7,"response":"r"}`,
		`{"type":7,"output_index":7000}`,
		`{"type":"response.output_text.delta","output_index":0,"delta":""}`,
		done("0", `{"type":"message","content":[{"type":"output_text","text":"Hello."},{"type":"future"}],"status":7}`),
		`{"type":"response.completed","response":{"status":"completed","usage":"none","incomplete_details":7}}`)
	if f := got.Finish; f == nil || f.Text != "Hello." || f.Reason != providers.FinishStop || f.Usage.Known() {
		t.Errorf("got %+v, %v", got.Finish, got.Failure)
	}
}

// A refusal is one even if only the finished item tells.
func TestRefusalOfItem(t *testing.T) {
	t.Parallel()
	got := play(t,
		`{"type":"response.output_text.delta","output_index":0,"delta":"Well."}`,
		done("0", `{"type":"message","content":[{"type":"output_text","text":"Well."},{"type":"refusal","refusal":"No."}]}`), completed)
	if f := got.Finish; f == nil || f.Text != "Well." || f.Refusal != "No." || f.Reason != providers.FinishRefusal {
		t.Errorf("got %+v, %v", got.Finish, got.Failure)
	}
}

func TestNewRefusesAddresses(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "ftp://x", "http://169.254.169.254/v1", "https://u:p@api.example/v1"} {
		if _, err := responses.New(responses.Config{BaseURL: base}); err == nil {
			t.Errorf("%q was accepted", base)
		}
	}
}
