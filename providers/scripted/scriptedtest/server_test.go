package scriptedtest_test

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers/scripted/scriptedtest"
)

const hello = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}`

// post sends a model call and returns the answer, whose body the test owns.
func post(t testing.TB, s *scriptedtest.Server, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func read(t testing.TB, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestServerStreamsLikeTheService(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, `
		reasoning "Hm. "
		text "Hi"
		keepalive
		refusal "no"
		call call_1 notes_write {"a":"äöü"}
		usage in=12 out=34 cached=0 reasoning=5
		finish tool_calls
	`)
	resp := post(t, s, strings.Replace(hello, `"stream":true`, `"stream":true,"stream_options":{"include_usage":true}`, 1))
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream; charset=utf-8" {
		t.Errorf("got content type %q", got)
	}
	if got := resp.Header.Get("X-Request-Id"); got != "scripted-1" {
		t.Errorf("got request id %q", got)
	}
	head := `data: {"id":"chatcmpl-scripted-1","object":"chat.completion.chunk","created":0,"model":"m","choices":[`
	delta := func(d string) string { return head + `{"index":0,"delta":` + d + `,"finish_reason":null}]}` }
	want := strings.Join([]string{
		delta(`{"role":"assistant","content":""}`),
		delta(`{"reasoning_content":"Hm. "}`),
		delta(`{"content":"Hi"}`),
		`: keep-alive`,
		delta(`{"refusal":"no"}`),
		delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"notes_write","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"\"äö"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"ü\"}"}}]}`),
		head + `{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		head + `],"usage":{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":5}}}`,
		`data: [DONE]`,
		``,
	}, "\n\n")
	if diff := cmp.Diff(want, read(t, resp)); diff != "" {
		t.Error(diff)
	}
}

func TestServerEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		status       int
		want         string // the end of the body
	}{
		{"finish without asking for usage", "usage in=1\nfinish stop", 200, "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
		{"cut", "text \"a\"\ncut", 200, "{\"content\":\"a\"},\"finish_reason\":null}]}\n\n"},
		{"cut before anything", "cut", 200, ""},
		{"status", "status 503 overloaded code=slow_down retry-after=2s", 503, "\"type\":\"overloaded\",\"code\":\"slow_down\"}}\n"},
		{"error in the stream", "text \"a\"\nerror server", 200, "\"type\":\"server\",\"code\":null}}\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := post(t, scriptedtest.NewServer(t, tt.script), hello)
			if resp.StatusCode != tt.status {
				t.Errorf("got status %d, want %d", resp.StatusCode, tt.status)
			}
			if tt.status == 503 && resp.Header.Get("Retry-After") != "2" {
				t.Errorf("got Retry-After %q, want 2", resp.Header.Get("Retry-After"))
			}
			if got := read(t, resp); !strings.HasSuffix(got, tt.want) || (tt.want == "" && got != "") {
				t.Errorf("got %q, want it to end with %q", got, tt.want)
			}
		})
	}
}

func TestServerResets(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, "text \"a\"\ngate a\nreset")
	resp := post(t, s, hello)
	s.Reached("a")
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s.Release("a")
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got error %v, want a broken connection", err)
	}
}

func TestServerHoldsTheStreamAtAGate(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, "text \"before\"\ngate half\ntext \"after\"\nfinish stop")
	resp := post(t, s, hello)
	s.Reached("half")
	lines := bufio.NewScanner(resp.Body)
	var got []string
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.Contains(line, "before"):
			got = append(got, "before")
			s.Release("half")
		case strings.Contains(line, "after"):
			got = append(got, "after")
		}
	}
	if diff := cmp.Diff([]string{"before", "after"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestServerClosesWhileAStreamHangs(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, "text \"a\"\nhang")
	resp := post(t, s, hello)
	s.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("got a whole body, want a broken connection")
	}
}

func TestServerServesConversationsSideBySide(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, `
		match user "red"
		match results 0
		call call_1 paint {}
		finish tool_calls
		---
		match user "blue"
		text "blue answer"
		finish stop
		---
		match user "red"
		expect result call_1 "painted"
		text "red answer"
		finish stop
	`)
	user := func(text, more string) string {
		return `{"model":"m","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"` + text + `"}]}` + more + `]}`
	}
	result := `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"paint","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_1","content":"painted"}`
	var wg sync.WaitGroup
	var red, redAfter, blue string
	wg.Go(func() {
		red = read(t, post(t, s, user("red", "")))
		redAfter = read(t, post(t, s, user("red", result)))
	})
	wg.Go(func() { blue = read(t, post(t, s, user("blue", ""))) })
	wg.Wait()
	if !strings.Contains(red, "call_1") || !strings.Contains(redAfter, "red answer") || !strings.Contains(blue, "blue answer") {
		t.Errorf("got %s\n%s\n%s", red, redAfter, blue)
	}
	if got := s.Requests(); len(got) != 3 {
		t.Errorf("got %d requests, want 3", len(got))
	}
}

func TestServerListsItsModel(t *testing.T) {
	t.Parallel()
	s := scriptedtest.NewServer(t, "")
	resp, err := http.Get(s.URL + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := read(t, resp); !strings.Contains(got, `"id":"scripted-1"`) {
		t.Errorf("got %s", got)
	}
	if got := s.Sent(); len(got) != 1 || got[0].Path != "/v1/models" {
		t.Errorf("got %+v, want the one request", got)
	}
}
