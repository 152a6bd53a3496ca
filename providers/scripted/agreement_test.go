package scripted_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/scripted/scriptedtest"
)

// An outcome is what an attempt came to, apart from how it was cut into
// pieces.
type outcome struct {
	Text, Reasoning, Refusal string
	Finish                   *providers.Finish
	Error                    *providers.Error
}

func outcomeOf(t *testing.T, p providers.Provider) outcome {
	t.Helper()
	req := ask("hello")
	req.Tools[0].Parameters = json.RawMessage(`{"type":"object"}`)
	var got outcome
	events, err := collect(t.Context(), p, req)
	if err != nil && !errors.As(err, &got.Error) {
		t.Fatal(err)
	}
	for _, ev := range events {
		switch ev := ev.(type) {
		case providers.TextDelta:
			got.Text += ev.Text
		case providers.ReasoningDelta:
			got.Reasoning += ev.Text
		case providers.RefusalDelta:
			got.Refusal += ev.Text
		case providers.Finish:
			got.Finish = &ev
		}
	}
	if (got.Finish == nil) == (got.Error == nil) {
		t.Errorf("got %+v, want either a finish or an error", got)
	}
	return got
}

// What the provider in the process says is what the real adapter makes of the
// same script over HTTP, so that engine tests and browser tests see one model.
func TestProviderAgreesWithTheAdapter(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script string }{
		{"answer", "reasoning \"Hm. \"\ntext \"a\\x00\\u202eb\"\nrepeat 3 text \"la \"\nusage in=12 out=34 cached=0 reasoning=5 cache_write=2\nfinish stop"},
		{"nothing said", "finish stop"},
		{"calls", "text \"a\"\ncall call_1 notes_write {\"t\":\"äöü\"}\ncall call_2 notes_write {}\nfinish tool_calls"},
		{"calls with stop", "call call_1 notes_write {\"a\":[1,2]}\nfinish stop"},
		{"undeclared call", "call call_1 notes_delete {}\nfinish tool_calls"},
		{"call without arguments", "call call_1 notes_write \"\"\nfinish tool_calls"},
		{"length", "text \"a\"\ncall call_1 notes_write {}\nfinish length"},
		{"content filter", "text \"a\"\nfinish content_filter"},
		{"refusal", "refusal \"no\"\nfinish refusal"},
		{"unknown reason", "text \"a\"\ncall call_1 notes_write {}\nfinish other"},
		{"keepalive and cut", "keepalive\ncut"},
		{"reset before anything", "reset"},
		{"cut", "text \"a\"\ncut"},
		{"cut after calls", "call call_1 notes_write {}\ncut"},
		{"cut before anything", "cut"},
		{"overloaded", "status 503 overloaded code=server_is_overloaded retry-after=2s"},
		{"rate limit", "status 429 rate_limit code=rate_limit_exceeded"},
		{"quota", "status 429 quota code=insufficient_quota"},
		{"key", "status 401 authentication code=invalid_api_key"},
		{"bad gateway", "status 502 server"},
		{"error in the stream", "text \"a\"\nerror overloaded code=server_is_overloaded"},
		{"error before text", "error rate_limit code=rate_limit_exceeded"},
		{"broken arguments", "call call_1 notes_write \"{\"\nfinish tool_calls"},
		{"missing call", "text \"a\"\nfinish tool_calls"},
		{"one id twice", "call call_1 notes_write {}\ncall call_1 notes_write {}\nfinish tool_calls"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			adapter, err := chatcompletions.New(chatcompletions.Config{
				Connection:    "scripted",
				BaseURL:       scriptedtest.NewServer(t, tt.script).URL,
				HTTPClient:    &http.Client{},
				AttemptHeader: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			want := outcomeOf(t, adapter)
			got := outcomeOf(t, scriptedtest.NewProvider(t, tt.script))
			// Private state is the adapter's own affair.
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(providers.Finish{}, "Replay")); diff != "" {
				t.Errorf("the adapter (-) and the provider (+) differ:\n%s", diff)
			}
		})
	}
}
