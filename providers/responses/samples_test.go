package responses_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/providers/responses"
	"countersign/providers/upstream"
)

func newClient(t testing.TB, c responses.Config) *responses.Client {
	t.Helper()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
		t.Cleanup(c.HTTPClient.CloseIdleConnections)
	}
	client, err := responses.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// stream joins events, each given as its data.
func stream(events ...string) []byte {
	var b bytes.Buffer
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.Bytes()
}

const completed = `{"type":"response.completed","response":{"status":"completed"}}`

var closing = providertest.Events(stream(
	`{"type":"response.created","response":{"status":"in_progress"}}`,
	`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","role":"assistant","content":[]}}`,
	`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"ok"}`,
	`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]}}`,
	completed,
))

func manyCalls(n int) []byte {
	var events []string
	for i := range n {
		events = append(events, fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":{"type":"function_call","call_id":"call_%d","name":"read","arguments":"{}"}}`, i, i))
	}
	return stream(append(events, completed)...)
}

func TestSuite(t *testing.T) {
	t.Parallel()
	providertest.Suite{
		API: providers.APIResponses, Samples: "testdata/samples", Errors: "../upstream/testdata/errors",
		Open: func(t testing.TB, url string, bounds upstream.Bounds) providers.Provider {
			return newClient(t, responses.Config{BaseURL: url, Bounds: bounds})
		},
		Proof: proofEnd, Closing: closing, CheckReplay: checkReplay, Calls: manyCalls,
	}.Run(t)
}

// proofEnd returns the offset just after the line of the terminal event,
// without its line end.
func proofEnd(body []byte) int {
	offset := 0
	for line := range bytes.Lines(body) {
		data := bytes.TrimRight(bytes.TrimPrefix(line, []byte("data:")), "\r\n")
		var e struct{ Type string }
		if json.Unmarshal(data, &e) == nil && (e.Type == "response.completed" || e.Type == "response.incomplete") {
			return offset + len(bytes.TrimRight(line, "\r\n"))
		}
		offset += len(line)
	}
	panic("the sample has no terminal event")
}

// checkReplay compares the items that go back with those the sample expects.
func checkReplay(t testing.TB, body, wanted []byte) {
	t.Helper()
	var sent struct {
		Store   *bool
		Include []string
		Input   []map[string]any
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent.Store == nil || *sent.Store || !cmp.Equal(sent.Include, []string{"reasoning.encrypted_content"}) {
		t.Errorf("store is %v, include %v", sent.Store, sent.Include)
	}
	var want []map[string]any
	if err := json.Unmarshal(wanted, &want); err != nil {
		t.Fatal(err)
	}
	got := sent.Input[1 : 1+len(want)]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	results := sent.Input[1+len(want) : len(sent.Input)-1]
	for _, item := range got {
		if item["type"] != "function_call" {
			continue
		}
		if len(results) == 0 || results[0]["type"] != "function_call_output" || results[0]["call_id"] != item["call_id"] {
			t.Fatalf("the call %v has no result among %v", item, results)
		}
		results = results[1:]
	}
	if len(results) > 0 {
		t.Errorf("%v answer no call", results)
	}
}

func FuzzStream(f *testing.F) {
	providertest.Fuzz(f, "testdata/samples", func(t testing.TB, body []byte) providers.Provider {
		return newClient(t, responses.Config{BaseURL: "http://api.example/v1", HTTPClient: providertest.Canned(body)})
	})
}

// TestIncompleteIsNoAnswer replays the case responses-incomplete-output-cap.
func TestIncompleteIsNoAnswer(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/cases/responses-incomplete-output-cap/input.sse")
	if err != nil {
		t.Fatal(err)
	}
	client := newClient(t, responses.Config{BaseURL: "http://api.example/v1", HTTPClient: providertest.Canned(body)})
	got := providertest.Stream(t.Context(), t, client, providertest.NewRequest(false))
	if f := got.Finish; f == nil || f.Reason != providers.FinishLength || f.Reason.Complete() || f.Replay != nil ||
		*f.Usage.InputTotal != 20 || *f.Usage.Output != 16 || strings.TrimSpace(f.Text) == "" {
		t.Errorf("got %+v, %v", got.Finish, got.Failure)
	}
}
