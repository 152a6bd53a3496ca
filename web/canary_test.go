package web_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"countersign/agent"
	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/views"
	"countersign/web/webtest"
)

// Every planted text begins with this, so that a part of one is found too.
const planted = "canary-"

// What a provider says that nobody may see: per API, the answer to the first
// request, which asks for a tool, and the private texts in it.
var plantedAnswers = map[providers.API]string{
	providers.APIChatCompletions: `data: {"id":"gen-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"notes_write","arguments":"{\"title\":\"A\",\"text\":\"one\"}"},"extra_content":{"google":{"thought_signature":"canary-signature"}}}],"reasoning_details":[{"type":"reasoning.encrypted","data":"canary-details"}]}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

`,
	providers.APIResponses: `data: {"type":"response.created","response":{"instructions":"canary-echo"}}

data: {"type":"response.reasoning_text.delta","output_index":0,"delta":"canary-raw-reasoning"}

data: {"type":"response.output_item.done","output_index":0,"item":{"id":"canary-id","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"canary-raw-content"}],"encrypted_content":"canary-blob"}}

data: {"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"call_1","name":"notes_write","arguments":"{\"title\":\"A\",\"text\":\"one\"}"}}

data: {"type":"response.completed","response":{"status":"completed","output":[{"type":"reasoning","encrypted_content":"canary-output"}]}}

`,
	providers.APIAnthropic: `data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"canary-signature"}}

data: {"type":"content_block_stop","index":0}

data: {"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"canary-redacted"}}

data: {"type":"content_block_stop","index":1}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"notes_write","input":{}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"title\":\"A\",\"text\":\"one\"}"}}

data: {"type":"content_block_stop","index":2}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

`,
}

// A key, what a provider marks as private, and what it says in its errors is in
// no page, fragment, error, log or column but those made for it.
func TestNothingPrivateIsShown(t *testing.T) {
	t.Parallel()
	for api, answer := range plantedAnswers {
		t.Run(string(api), func(t *testing.T) {
			t.Parallel()
			refusal := providertest.Answer{
				Status: http.StatusBadRequest, Header: map[string]string{"content-type": "application/json", "x-request-id": "req_7", "x-note": "canary-header"},
				Body: []byte(`{"error":{"message":"canary-message quotes canary-prompt","type":"canary-type","code":"canary-code","param":"canary-param"}}`),
			}
			inBand := providertest.Events([]byte("data: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"canary-in-band\"}}\n\n"))
			garbage := providertest.Events([]byte("data: {\"canary-garbage\n\n"))
			service := providertest.NewServer(t, providertest.Events([]byte(answer)), refusal, inBand, garbage)
			d := &dialogue{t: t, s: webtest.New(t), reasoning: true}
			form := providerForm("Service", service.URL+"/v1")
			form.Set("api", string(api))
			form.Set("key", planted+"key")
			form.Set("models", "m")
			saved := d.s.Admin.Post("/settings/providers", form)
			p := onlyProvider(t, d.s)
			d.model = agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: "m"}

			d.send("Write it")
			d.until(agent.StatusWaitingApproval)
			frames := recordFrames(t, d)
			var seen []string
			see := func(r webtest.Response) { seen = append(seen, fmt.Sprint(r.Header, r.Body)) }
			look := func() {
				for _, path := range []string{d.url(), views.InboxURL, "/", "/settings/providers", saved.Location, "/settings/agents", "/settings/usage", "/account", views.FromURL(d.id), views.ExportURL(d.id), views.ExportURL(d.id) + "?format=markdown"} {
					see(d.s.Admin.Get(path))
				}
			}
			token := createKey(t, d.s.Admin, "Reader", "read")
			read := func(path string) {
				r := d.s.Browser().Request(http.MethodGet, path, nil)
				r.Header.Set("X-API-Key", token)
				got := d.s.Browser().Do(r)
				if got.Status != http.StatusOK {
					t.Errorf("GET %s: %d", path, got.Status)
				}
				see(got)
			}
			readRun := func(also ...string) {
				for _, part := range append(also, "") {
					read("/v2/runs/" + string(d.run().Run) + part)
				}
				read("/v2/conversations/" + string(d.id))
			}
			look()
			readRun()
			d.decide("allow", "")
			d.until(agent.StatusFailed) // the service refuses the next request
			readRun("/stream", "/events")
			for range 2 { // an error in the stream, and garbage
				d.send("Again")
				d.until(agent.StatusFailed)
				readRun("/stream", "/events")
			}
			look()
			for _, path := range []string{"/v2/conversations", "/v2/agents", "/v2/models"} {
				read(path)
			}
			see(d.s.Admin.Post(saved.Location, url.Values{"name": {""}, "api": {string(api)}, "key": {planted + "typed"}, "base_url": {"nonsense"}}))
			see(d.s.Admin.Get("/c/c_none"))

			sinks := append(seen, frames(), d.s.Log())
			for _, sink := range sinks {
				if i := strings.Index(sink, planted); i >= 0 {
					t.Errorf("%q is shown: …%s…", planted, sink[max(0, i-80):min(len(sink), i+80)])
				}
			}
			if len(seen) < 20 || !strings.Contains(sinks[len(seen)], "template") {
				t.Error("the test looks at too little")
			}
			found := plantedColumns(t, d.s.Data)
			delete(found, "attempt_outputs.replay")
			if len(found) > 0 {
				t.Errorf("columns that hold what is private: %v", found)
			}
			if !strings.Contains(string(service.Requests()[1].Body), planted) {
				t.Error("nothing private went back to the service")
			}
		})
	}
}

// recordFrames follows a conversation as its page does and returns what gives
// all that was sent.
func recordFrames(t *testing.T, d *dialogue) func() string {
	t.Helper()
	page := load(t, d.s.Admin, d.url())
	header := cookies(d.s.Admin)
	header.Set("Origin", d.s.URL)
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(d.s.URL, "http", "ws", 1)+page.Live(), header)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all strings.Builder
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, frame, err := conn.ReadMessage()
			if err != nil {
				return
			}
			mu.Lock()
			all.Write(frame)
			mu.Unlock()
		}
	}()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(page.Hello())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); <-done })
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// plantedColumns names the columns of the database that hold a planted text.
func plantedColumns(t *testing.T, dir string) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "countersign.db")+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns := map[string]string{}
	rows, err := db.QueryContext(t.Context(), "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		columns[table+"."+column] = fmt.Sprintf(`SELECT count(*) FROM %q WHERE instr(CAST(%q AS BLOB), CAST('%s' AS BLOB)) > 0`, table, column, planted)
	}
	if err := rows.Err(); err != nil || len(columns) < 50 {
		t.Fatalf("%d columns, %v", len(columns), err)
	}
	found := map[string]int{}
	for column, query := range columns {
		var n int
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		if n > 0 {
			found[column] = n
		}
	}
	return found
}
