package chatcompletions_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	providertest.Suite{
		API: providers.APIChatCompletions, Samples: "testdata/samples", Errors: "../upstream/testdata/errors", Cases: "testdata/cases",
		Open: func(t testing.TB, url string, bounds upstream.Bounds) providers.Provider {
			return newClient(t, chatcompletions.Config{BaseURL: url, Bounds: bounds})
		},
		Proof: proofEnd, Closing: closing, CheckReplay: checkReplay,
		Calls: func(n int) []byte {
			var body bytes.Buffer
			for _, call := range manyCalls(n) {
				body.WriteString("data: " + callsChunk(call) + "\n\n")
			}
			body.WriteString("data: " + chunk(`{}`, "tool_calls") + "\n\n")
			return body.Bytes()
		},
	}.Run(t)
}

// proofEnd returns the offset just after the line that holds the finish reason
// of the first choice, without its line end.
func proofEnd(body []byte) int {
	offset := 0
	for line := range bytes.Lines(body) {
		data := bytes.TrimRight(bytes.TrimPrefix(line, []byte("data:")), "\r\n")
		var c struct {
			Choices []struct {
				Index        int
				FinishReason string `json:"finish_reason"`
			}
		}
		if json.Unmarshal(data, &c) == nil {
			for _, ch := range c.Choices {
				if ch.Index == 0 && ch.FinishReason != "" {
					return offset + len(bytes.TrimRight(line, "\r\n"))
				}
			}
		}
		offset += len(line)
	}
	panic("the sample has no finish reason")
}

// checkReplay compares the message that goes back with what the sample expects.
func checkReplay(t testing.TB, body, wanted []byte) {
	t.Helper()
	var sent struct{ Messages []map[string]any }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(wanted, &want); err != nil {
		t.Fatal(err)
	}
	got := sent.Messages[1]
	results := sent.Messages[2 : len(sent.Messages)-1]
	wantCalls, _ := want["tool_calls"].([]any)
	gotCalls, _ := got["tool_calls"].([]any)
	if len(results) != len(wantCalls) || len(gotCalls) != len(wantCalls) {
		t.Fatalf("got %d calls and %d results, want %d", len(gotCalls), len(results), len(wantCalls))
	}
	for i := range gotCalls {
		call := gotCalls[i].(map[string]any)
		if results[i]["tool_call_id"] != call["id"] {
			t.Errorf("the result answers %v, the call is %v", results[i]["tool_call_id"], call["id"])
		}
		if id, ok := call["id"].(string); ok && id != "" && wantCalls[i].(map[string]any)["id"] == providertest.Generated {
			call["id"] = providertest.Generated
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
