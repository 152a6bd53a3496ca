package scriptedtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/scripted/scriptedtest"
)

func TestServerIsStrict(t *testing.T) {
	t.Parallel()
	const (
		user   = `{"role":"user","content":"hello"}`
		asking = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]}`
	)
	messages := func(list string) string { return `{"model":"m","stream":true,"messages":[` + list + `]}` }
	const malformed = "scripted: a request is malformed: "
	tests := []struct {
		name, body, want string
	}{
		{"no JSON", `{`, malformed + "parse the body: unexpected end of JSON input"},
		{"no model", `{"stream":true,"messages":[` + user + `]}`, malformed + "model is missing"},
		{"no stream", `{"model":"m","messages":[` + user + `]}`, malformed + "stream is not true"},
		{"no messages", messages(``), malformed + "messages are missing"},
		{"two limits", `{"model":"m","stream":true,"max_tokens":1,"max_completion_tokens":1,"messages":[` + user + `]}`, malformed + "max_tokens and max_completion_tokens are both there"},
		{"empty tools", `{"model":"m","stream":true,"tools":[],"messages":[` + user + `]}`, malformed + "tools is an empty list"},
		{"tool without parameters", `{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"n"}}],"messages":[` + user + `]}`, malformed + `tool "n" is not a function with a name and parameters`},
		{"role", messages(`{"role":"developer","content":"x"}`), malformed + `message 0: role "developer"`},
		{"content", messages(`{"role":"user","content":5}`), malformed + "message 0: content is neither a string nor parts"},
		{"empty assistant", messages(user + `,{"role":"assistant","content":""},` + user), malformed + "message 1: an assistant message without text and calls"},
		{"assistant last", messages(user + `,{"role":"assistant","content":"hi"}`), malformed + "the last message is the assistant's"},
		{"arguments", messages(user + `,` + strings.Replace(asking, `"{}"`, `"{"`, 1)), malformed + "message 1: the arguments of call c are not a JSON object"},
		{"call without result", messages(user + `,` + asking), malformed + "call c has no result"},
		{"call before its result", messages(user + `,` + asking + `,` + user), malformed + "message 2: the result of call c must come here"},
		{"result without call", messages(user + `,{"role":"tool","tool_call_id":"c","content":"x"}`), malformed + "message 1: no call waits for this result"},
		{"one request too many", hello, "scripted: request 1 is unexpected: no unread response fits it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := during(t, func(t testing.TB) {
				resp := post(t, scriptedtest.NewServer(t, "# nobody calls"), tt.body)
				if resp.StatusCode != http.StatusBadRequest {
					t.Errorf("got status %d, want 400", resp.StatusCode)
				}
			})
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestServerReportsAnUnknownPath(t *testing.T) {
	t.Parallel()
	got := during(t, func(t testing.TB) {
		resp, err := http.Get(scriptedtest.NewServer(t, "").URL + "/responses")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("got status %d and error %v, want 404", resp.StatusCode, err)
		}
	})
	want := []string{"scripted: a request is malformed: GET /v1/responses is not served"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadResponsesFailTheTest(t *testing.T) {
	t.Parallel()
	const script = "finish stop\n---\nfinish stop"
	want := []string{"scripted: 2 responses were never asked for"}
	for name, test := range map[string]func(testing.TB){
		"server":   func(t testing.TB) { scriptedtest.NewServer(t, script) },
		"provider": func(t testing.TB) { scriptedtest.NewProvider(t, script) },
	} {
		if diff := cmp.Diff(want, during(t, test)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestFailedExpectationsFailTheTest(t *testing.T) {
	t.Parallel()
	got := during(t, func(t testing.TB) {
		p := scriptedtest.NewProvider(t, "expect user \"milk\"\nfinish stop")
		req := providers.Request{Messages: []providers.Message{providers.UserMessage{Text: "bread"}}}
		for _, err := range p.Stream(t.Context(), req) {
			if err == nil {
				t.Error("got an event, want an error")
			}
		}
	})
	want := []string{`scripted: request 1 got the response of line 1, which expects user "milk"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWrongScriptsAndGatesFailTheTest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want string
		test       func(testing.TB)
	}{
		{"script", `parse the script: line 1: unknown event "shout"`, func(t testing.TB) { scriptedtest.NewServer(t, "shout") }},
		{"reached", "the script has no gate g", func(t testing.TB) { scriptedtest.NewServer(t, "").Reached("g") }},
		{"release", "the script has no gate g", func(t testing.TB) { scriptedtest.NewServer(t, "").Release("g") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string{tt.want}, during(t, tt.test)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
