package providertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
)

// Generated stands in a sample for an id that is made here.
const Generated = "<generated>"

// A Sample is a recorded answer with what is to be made of it.
type Sample struct {
	Name  string
	Bytes []byte

	Body string // the file with the bytes
	HTTP struct {
		Status  int
		Headers map[string]string
	}
	ToolsDeclared []string `json:"tools_declared"`
	Expect        struct {
		Outcome                  string // completed, incomplete or failed
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

// Answer is what a server sends.
func (s Sample) Answer() Answer {
	return Answer{Status: s.HTTP.Status, Header: s.HTTP.Headers, Body: s.Bytes}
}

// LoadSamples reads the samples of a directory, of which there must be some.
func LoadSamples(t testing.TB, dir string) []Sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d samples in %s, %v", len(files), dir, err)
	}
	var list []Sample
	for _, file := range files {
		s := Sample{Name: strings.TrimSuffix(filepath.Base(file), ".json")}
		readJSON(t, &s, file)
		s.Bytes = readFile(t, dir, s.Body)
		list = append(list, s)
	}
	return list
}

// check compares an outcome with what the sample expects, field by field.
func (s Sample) check(t testing.TB, api providers.API, got Outcome, display bool) {
	t.Helper()
	want := Outcome{Text: s.Expect.Text, Refusal: s.Expect.Refusal, Usage: s.Expect.Usage}
	reasoning := s.Expect.Reasoning
	if e := s.Expect.Error; e != nil {
		want.Failure = &providers.Error{
			Category: e.Category, Code: e.Code, Retryable: e.Retryable, HTTPStatus: e.HTTPStatus,
			API: api, RequestID: s.Expect.RequestID,
		}
		if e.RetryAfterMS != nil {
			want.Failure.RetryAfter = time.Duration(*e.RetryAfterMS) * time.Millisecond
		}
		if s.Expect.Streamed != nil {
			want.Text, reasoning = s.Expect.Streamed.Text, s.Expect.Streamed.Reasoning
		}
		if !want.Usage.Known() {
			want.Usage = got.Usage // what it cost until then is not recorded
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
	got.CheckExecutable(t)
}

func (s Sample) finish(reasoning string) *providers.Finish {
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
func (s Sample) shown(id string) string {
	for _, secret := range s.Expect.MustNotDisplay {
		if strings.Contains(id, secret) {
			return Generated
		}
	}
	return id
}

// normal takes out what differs from run to run, and the private state, which
// is compared in the next request.
func (s Sample) normal(o Outcome) Outcome {
	if o.Finish == nil {
		return o
	}
	f := *o.Finish
	f.Replay = nil
	f.Calls = nil
	for i, c := range o.Finish.Calls {
		if i < len(s.Expect.ToolCalls) && s.shown(s.Expect.ToolCalls[i].ID) == Generated && strings.HasPrefix(c.ID, "call_") {
			c.ID = Generated
		}
		f.Calls = append(f.Calls, c)
	}
	o.Finish = &f
	return o
}

// checkSecrets looks for private text in all that may be shown.
func (s Sample) checkSecrets(t testing.TB, o Outcome) {
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

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readJSON(t testing.TB, v any, parts ...string) {
	t.Helper()
	if err := json.Unmarshal(readFile(t, parts...), v); err != nil {
		t.Fatalf("%s: %v", filepath.Join(parts...), err)
	}
}
