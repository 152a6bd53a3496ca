package providertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/upstream"
)

// A regressionCase is a fault that others had, as an input.
type regressionCase struct {
	Input struct {
		Tools    []struct{ Name string }
		Script   []string
		Repeat   bool                       `json:"script_repeat"`
		Files    map[string]json.RawMessage `json:"files"`
		Delivery struct {
			SplitCRLF bool `json:"split_crlf"`
		}
	}
	Expected struct {
		attemptExpectation
		Attempts      []attemptExpectation
		MustNotAppear []struct{ In, Values []string } `json:"must_not_appear"`
	}
}

type attemptExpectation struct {
	Attempt    string
	Text       *string
	TextLength *int    `json:"text_length"`
	TextSHA256 *string `json:"text_sha256"`
	ToolCalls  []struct {
		ID, Name  string
		Arguments json.RawMessage
	} `json:"tool_calls"`
	Usage *struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	}
	Error *struct {
		CategoryIn []string `json:"category_in"`
		Retryable  bool
		HTTPStatus int `json:"http_status"`
	}
}

// ourCategories maps the neutral names of the cases to ours.
var ourCategories = map[string][]providers.Category{
	"incomplete":      {providers.CategoryNetwork, providers.CategoryParser},
	"network":         {providers.CategoryNetwork, providers.CategoryTimeout},
	"protocol":        {providers.CategoryParser},
	"rate_limit":      {providers.CategoryRateLimit},
	"overloaded":      {providers.CategoryOverloaded},
	"server":          {providers.CategoryServer},
	"invalid_request": {providers.CategoryInvalidRequest},
}

// replayCases plays every case and returns how many there are.
func (s Suite) replayCases(t *testing.T) int {
	dirs, err := filepath.Glob(filepath.Join(s.Cases, "*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("got %d cases in %s, %v", len(dirs), s.Cases, err)
	}
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		for _, dir := range dirs {
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				s.replayCase(t, dir)
			})
		}
	})
	return len(dirs)
}

func (s Suite) replayCase(t *testing.T, dir string) {
	var c regressionCase
	readJSON(t, &c, dir, "case.json")
	server := NewServer(t, c.script(t, dir)...)
	p := s.Open(t, server.URL, upstream.Bounds{})
	var tools []string
	for _, tool := range c.Input.Tools {
		tools = append(tools, tool.Name)
	}
	attempts := c.Expected.Attempts
	if attempts == nil {
		attempts = []attemptExpectation{c.Expected.attemptExpectation}
	}
	for i, want := range attempts {
		got := Stream(t.Context(), t, p, NewRequest(true, tools...))
		s.runs.Add(1)
		want.check(t, got)
		c.checkAbsent(t, got)
		// The one case of a delay: its date is four seconds ahead.
		if strings.HasSuffix(dir, "err-429-http-date") && i == 0 {
			if d := got.Failure.RetryAfter; d < 3*time.Second || d > 5*time.Second {
				t.Errorf("got a delay of %v, want about 4s", d)
			}
		}
	}
}

// script returns the answers that the case serves.
func (c regressionCase) script(t *testing.T, dir string) []Answer {
	t.Helper()
	names := c.Input.Script
	if names == nil {
		for name := range c.Input.Files {
			names = append(names, name)
		}
	}
	var out []Answer
	for _, name := range names {
		switch {
		case strings.HasSuffix(name, ".sse"):
			out = append(out, c.events(readFile(t, dir, name)))
		case strings.HasSuffix(name, ".gen.json"):
			out = append(out, c.events(generate(t, dir, name)))
		default:
			out = append(out, httpAnswer(t, dir, name))
		}
	}
	return out
}

func (c regressionCase) events(body []byte) Answer {
	a := Events(body)
	if c.Input.Delivery.SplitCRLF {
		a.Writes = []int{bytes.IndexByte(body, '\r') + 1, len(body)}
	}
	return a
}

// generate builds a large input from its description.
func generate(t *testing.T, dir, name string) []byte {
	t.Helper()
	var g struct {
		Emit []struct {
			Literal string
			Repeat  string
			Times   int
		}
	}
	readJSON(t, &g, dir, name)
	var body bytes.Buffer
	for _, e := range g.Emit {
		body.WriteString(e.Literal)
		body.WriteString(strings.Repeat(e.Repeat, e.Times))
	}
	return body.Bytes()
}

func httpAnswer(t *testing.T, dir, name string) Answer {
	t.Helper()
	var in struct {
		Status  int
		Headers map[string]string
		Body    json.RawMessage
	}
	readJSON(t, &in, dir, name)
	a := Answer{Status: in.Status, Header: in.Headers, Body: in.Body}
	var text string
	if json.Unmarshal(in.Body, &text) == nil {
		a.Body = []byte(text)
	}
	for name, value := range a.Header {
		date := time.Now().Add(4 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
		a.Header[name] = strings.ReplaceAll(value, "{{imf_fixdate:+4s}}", date)
	}
	return a
}

func (want attemptExpectation) check(t *testing.T, got Outcome) {
	t.Helper()
	if want.Attempt == "failed" {
		want.checkFailure(t, got)
		return
	}
	if got.Finish == nil {
		t.Fatalf("got %v, want a complete attempt", got.Failure)
	}
	f := got.Finish
	if want.Text != nil && f.Text != *want.Text {
		t.Errorf("got text %q, want %q", f.Text, *want.Text)
	}
	if want.TextLength != nil && len(f.Text) != *want.TextLength {
		t.Errorf("got %d bytes of text, want %d", len(f.Text), *want.TextLength)
	}
	if sum := sha256.Sum256([]byte(f.Text)); want.TextSHA256 != nil && hex.EncodeToString(sum[:]) != *want.TextSHA256 {
		t.Errorf("got text with hash %x, want %s", sum, *want.TextSHA256)
	}
	if u := want.Usage; u != nil && (*f.Usage.InputTotal != u.Input || *f.Usage.Output != u.Output) {
		t.Errorf("got usage %+v, want %+v", f.Usage, u)
	}
	if len(f.Calls) != len(want.ToolCalls) {
		t.Fatalf("got %d calls, want %d", len(f.Calls), len(want.ToolCalls))
	}
	for i, c := range want.ToolCalls {
		if f.Calls[i].ID != c.ID || f.Calls[i].Name != c.Name || !f.Calls[i].Executable {
			t.Errorf("got call %+v, want %+v", f.Calls[i], c)
		}
		arguments := f.Calls[i].Arguments
		if arguments == "" {
			arguments = "{}" // which is what it means
		}
		if diff := cmp.Diff(JSON(t, c.Arguments), JSON(t, []byte(arguments))); diff != "" {
			t.Errorf("arguments (-want +got):\n%s", diff)
		}
	}
}

func (want attemptExpectation) checkFailure(t *testing.T, got Outcome) {
	t.Helper()
	if got.Failure == nil {
		t.Fatalf("got %+v, want a failure", got)
	}
	var accepted []providers.Category
	for _, name := range want.Error.CategoryIn {
		accepted = append(accepted, ourCategories[name]...)
	}
	if !slices.Contains(accepted, got.Failure.Category) {
		t.Errorf("got %s, want one of %v", got.Failure.Category, accepted)
	}
	if got.Failure.Retryable != want.Error.Retryable {
		t.Errorf("got retryable %v, want %v", got.Failure.Retryable, want.Error.Retryable)
	}
	if want.Error.HTTPStatus != 0 && got.Failure.HTTPStatus != want.Error.HTTPStatus {
		t.Errorf("got status %d, want %d", got.Failure.HTTPStatus, want.Error.HTTPStatus)
	}
}

func (c regressionCase) checkAbsent(t *testing.T, got Outcome) {
	t.Helper()
	seen, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range c.Expected.MustNotAppear {
		if got.Failure != nil && slices.Contains(group.In, "answer") {
			continue // what a failed attempt has shown is withdrawn, which is not an adapter's matter
		}
		for _, value := range group.Values {
			if strings.Contains(string(seen), value) {
				t.Errorf("%q appears", value)
			}
		}
	}
}

// JSON decodes a value, to compare it with another.
func JSON(t testing.TB, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%q: %v", b, err)
	}
	return v
}
