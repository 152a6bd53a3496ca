package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/probe"
)

// A service is a model API over HTTP: what it says to a question, to one with a
// tool declared, and to the question for its models. It must not be asked for
// what it has no answer to.
type service struct {
	answer, tools, models http.HandlerFunc
}

func (s service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	handler := s.answer
	switch {
	case r.Method == http.MethodGet:
		handler = s.models
	case strings.Contains(string(body), `"noop"`):
		handler = s.tools
	}
	if handler == nil {
		handler = http.NotFound
	}
	handler(w, r)
}

func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Request-Id", "req_1")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// refuses answers with an error object whose message must reach nobody.
func refuses(status int, code string) http.HandlerFunc {
	return says(status, "application/json", fmt.Sprintf(`{"error":{"message":"canary","code":%q}}`, code))
}

func lists(ids ...string) http.HandlerFunc {
	return says(http.StatusOK, "application/json", `{"data":[{"id":"`+strings.Join(ids, `"},{"id":"`)+`"}]}`)
}

// streams are a whole answer of each API, with what it used.
var streams = map[providers.API]string{
	providers.APIChatCompletions: `data: {"choices":[{"index":0,"delta":{"content":"OK"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}

data: [DONE]

`,
	providers.APIResponses: `event: response.created
data: {"type":"response.created","response":{"id":"resp_1"}}

event: response.output_item.added
data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1"}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"msg_1","delta":"OK"}

event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"OK"}]}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","usage":{"input_tokens":3,"output_tokens":1}}}

`,
	providers.APIAnthropic: `event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"OK"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`,
}

var works = says(http.StatusOK, "text/event-stream", streams[providers.APIChatCompletions])

// start serves a service and returns its base URL.
func (s service) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func (s service) startTLS(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// silent accepts connections and says nothing. It returns host and port.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var open []net.Conn
		for {
			conn, err := listener.Accept()
			if err != nil {
				break
			}
			open = append(open, conn)
		}
		for _, conn := range open {
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return listener.Addr().String()
}

// stalls begins an answer and never goes on.
func stalls(status int, begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(status)
		fmt.Fprint(w, begin)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// A try is a connection to be tried. Its zero value has a key, speaks Chat
// Completions and may go anywhere.
type try struct {
	api     providers.API
	base    string
	public  bool // may not go to private addresses
	noKey   bool
	noModel bool
	noTools bool
	within  time.Duration
}

func (x try) run(t *testing.T) probe.Result {
	t.Helper()
	if x.api == "" {
		x.api = providers.APIChatCompletions
	}
	connections := connect.New()
	defer connections.Close()
	p, err := connections.Open(connect.Config{
		ID: "p_1", API: x.api, BaseURL: x.base, AllowPrivateNetwork: !x.public,
		Key: func(context.Context) (string, error) {
			if x.noKey {
				return "", providers.KeyError(providers.CodeKeyNeeded)
			}
			return "sk-canary", nil
		},
	})
	var unusable *providers.Error
	if errors.As(err, &unusable) {
		return probe.NotOpened(unusable)
	}
	target := probe.Target{Provider: p, API: x.api, Model: "m", NoTools: x.noTools}
	if x.noModel {
		target.Model = ""
	}
	ctx := t.Context()
	if x.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, x.within)
		defer cancel()
	}
	r, err := probe.Run(ctx, target)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
