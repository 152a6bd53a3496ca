package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	providertest.Suite{
		API: providers.APIAnthropic, Samples: "testdata/samples", Errors: "../upstream/testdata/errors", Cases: "testdata/cases",
		Open: func(t testing.TB, url string, bounds upstream.Bounds) providers.Provider {
			return newClient(t, anthropic.Config{BaseURL: url, Bounds: bounds})
		},
		Proof: proofEnd, Closing: closing, CheckReplay: checkReplay,
		Calls: func(n int) []byte {
			var blocks [][]string
			for i := range n {
				blocks = append(blocks, callBlock(i, fmt.Sprintf("toolu_%d", i), "read", "{}"))
			}
			return body(answer("tool_use", blocks...)...)
		},
	}.Run(t)
}

// proofEnd returns the offset just after the line that holds message_stop,
// without its line end.
func proofEnd(body []byte) int {
	offset := 0
	for line := range bytes.Lines(body) {
		var f struct{ Type string }
		data, found := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if found && json.Unmarshal(data, &f) == nil && f.Type == "message_stop" {
			return offset + len(bytes.TrimRight(line, "\r\n"))
		}
		offset += len(line)
	}
	panic("the sample has no message_stop")
}

// checkReplay compares the message that goes back with what the sample expects,
// and what follows it with the calls in it.
func checkReplay(t testing.TB, body, wanted []byte) {
	t.Helper()
	var sent struct{ Messages []message }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var want message
	if err := json.Unmarshal(wanted, &want); err != nil {
		t.Fatal(err)
	}
	if len(sent.Messages) != 3 {
		t.Fatalf("got %d messages, want 3", len(sent.Messages))
	}
	if diff := cmp.Diff(want, sent.Messages[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	next := message{Role: "user"}
	for _, block := range want.Content {
		if block["type"] == "tool_use" {
			next.Content = append(next.Content, map[string]any{"type": "tool_result", "tool_use_id": block["id"], "content": "done"})
		}
	}
	next.Content = append(next.Content, map[string]any{"type": "text", "text": "Go on"})
	if diff := cmp.Diff(next, sent.Messages[2]); diff != "" {
		t.Errorf("after the answer (-want +got):\n%s", diff)
	}
}

type message struct {
	Role    string
	Content []map[string]any
}
