package chatcompletions_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
)

const generated = "<generated>"

// A sample is a recorded answer with what is to be made of it.
type sample struct {
	name string
	body []byte

	Body string
	HTTP struct {
		Status  int
		Headers map[string]string
	}
	ToolsDeclared []string `json:"tools_declared"`
	Expect        struct {
		Outcome                  string
		Text, Reasoning, Refusal string
		ToolCalls                []struct {
			ID, Name   string
			Raw        string `json:"arguments_raw"`
			Executable bool
		} `json:"tool_calls"`
		Finish struct {
			Raw        string
			Normalized providers.FinishReason
		}
		Usage          providers.Usage
		Replay         json.RawMessage
		MustNotDisplay []string                          `json:"must_not_display"`
		Streamed       *struct{ Text, Reasoning string } `json:"streamed_before_failure"`
		Error          *struct {
			Category     providers.Category
			Code         string
			Retryable    bool
			HTTPStatus   int    `json:"http_status"`
			RetryAfterMS *int64 `json:"retry_after_ms"`
		}
		RequestID string `json:"request_id"`
	}
}

func (s sample) answer() providertest.Answer {
	return providertest.Answer{Status: s.HTTP.Status, Header: s.HTTP.Headers, Body: s.body}
}

func loadSamples(t *testing.T, dir string) []sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d samples in %s, %v", len(files), dir, err)
	}
	var out []sample
	for _, file := range files {
		s := sample{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		readJSON(t, &s, file)
		s.body = readFile(t, dir, s.Body)
		out = append(out, s)
	}
	return out
}

// check compares an outcome with what the sample expects, field by field.
func (s sample) check(t *testing.T, got outcome, display bool) {
	t.Helper()
	want := outcome{Text: s.Expect.Text, Refusal: s.Expect.Refusal}
	reasoning := s.Expect.Reasoning
	if e := s.Expect.Error; e != nil {
		want.Failure = &providers.Error{
			Category: e.Category, Code: e.Code, Retryable: e.Retryable, HTTPStatus: e.HTTPStatus,
			API: providers.APIChatCompletions, RequestID: s.Expect.RequestID,
		}
		if e.RetryAfterMS != nil {
			want.Failure.RetryAfter = time.Duration(*e.RetryAfterMS) * time.Millisecond
		}
		if s.Expect.Streamed != nil {
			want.Text, reasoning = s.Expect.Streamed.Text, s.Expect.Streamed.Reasoning
		}
	}
	if display {
		want.Reasoning = reasoning
	}
	if s.Expect.Error == nil {
		want.Finish = s.finish(want.Reasoning)
	}
	if diff := cmp.Diff(want, s.normal(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.checkSecrets(t, got)
}

func (s sample) finish(reasoning string) *providers.Finish {
	f := &providers.Finish{
		Reason: s.Expect.Finish.Normalized, RawReason: s.Expect.Finish.Raw,
		Text: s.Expect.Text, Reasoning: reasoning, Refusal: s.Expect.Refusal,
		Usage: s.Expect.Usage, RequestID: s.Expect.RequestID,
	}
	for _, c := range s.Expect.ToolCalls {
		f.Calls = append(f.Calls, providers.ToolCall{
			ID: s.shown(c.ID), Name: c.Name, Arguments: c.Raw, Executable: c.Executable,
		})
	}
	return f
}

// shown returns the id under which a call is known here: an id that hides
// something is not shown.
func (s sample) shown(id string) string {
	for _, secret := range s.Expect.MustNotDisplay {
		if strings.Contains(id, secret) {
			return generated
		}
	}
	return id
}

// normal takes out what differs from run to run, and the private state, which
// is compared in the next request.
func (s sample) normal(o outcome) outcome {
	if o.Finish == nil {
		return o
	}
	f := *o.Finish
	f.Replay = nil
	f.Calls = nil
	for i, c := range o.Finish.Calls {
		if i < len(s.Expect.ToolCalls) && s.shown(s.Expect.ToolCalls[i].ID) == generated && strings.HasPrefix(c.ID, "call_") {
			c.ID = generated
		}
		f.Calls = append(f.Calls, c)
	}
	o.Finish = &f
	return o
}

func (s sample) checkSecrets(t *testing.T, o outcome) {
	t.Helper()
	if o.Finish != nil {
		public := *o.Finish
		public.Replay = nil
		o.Finish = &public
	}
	seen, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	shown := string(seen)
	if o.Failure != nil {
		shown += o.Failure.Error()
	}
	for _, secret := range s.Expect.MustNotDisplay {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is displayed", secret)
		}
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	for _, s := range loadSamples(t, "testdata/samples") {
		for _, display := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/reasoning=%v", s.name, display), func(t *testing.T) {
				t.Parallel()
				s.run(t, display)
			})
		}
	}
}

// run plays the sample in all the ways in which it can arrive.
func (s sample) run(t *testing.T, display bool) {
	random := rand.New(rand.NewPCG(1, uint64(len(s.body))))
	deliveries := [][]int{nil, {1}}
	for range 3 {
		deliveries = append(deliveries, []int{1 + random.IntN(40), 1 + random.IntN(400), 1 + random.IntN(90)})
	}
	var script []providertest.Answer
	for _, writes := range deliveries {
		a := s.answer()
		a.Writes = writes
		script = append(script, a)
	}
	server := providertest.NewServer(t, script...)
	client := newClient(t, chatcompletions.Config{BaseURL: server.URL})
	for range deliveries {
		s.check(t, stream(t.Context(), t, client, request(display, s.ToolsDeclared...)), display)
	}
}

// What goes back in the next request is the same whether reasoning is shown or
// not.
func TestSamplesReplay(t *testing.T) {
	t.Parallel()
	for _, s := range loadSamples(t, "testdata/samples") {
		if s.Expect.Outcome != "completed" {
			continue
		}
		for _, display := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/reasoning=%v", s.name, display), func(t *testing.T) {
				t.Parallel()
				server := providertest.NewServer(t, s.answer(), closing)
				client := newClient(t, chatcompletions.Config{BaseURL: server.URL})
				req := request(display, s.ToolsDeclared...)
				first := stream(t.Context(), t, client, req)
				if first.Finish == nil {
					t.Fatalf("got %v", first.Failure)
				}
				stream(t.Context(), t, client, next(req, *first.Finish))
				s.checkReplay(t, server.Requests()[1].Body)
			})
		}
	}
}

func (s sample) checkReplay(t *testing.T, body []byte) {
	t.Helper()
	var sent struct{ Messages []map[string]any }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(s.Expect.Replay, &want); err != nil {
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
		if id, ok := call["id"].(string); ok && id != "" && wantCalls[i].(map[string]any)["id"] == generated {
			call["id"] = generated
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrorSamples(t *testing.T) {
	t.Parallel()
	for _, s := range loadSamples(t, "../upstream/testdata/errors") {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			server := providertest.NewServer(t, s.answer())
			client := newClient(t, chatcompletions.Config{BaseURL: server.URL})
			s.check(t, stream(t.Context(), t, client, request(true)), true)
		})
	}
}
