package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// newKey makes an API key on its page and returns its token.
func (c *chat) newKey(name string, scopes ...string) string {
	c.t.Helper()
	c.visit("/settings/keys/new", http.StatusOK)
	c.fill("Name", name)
	c.must(c.Locator("input[name=read]").SetChecked(true))
	for _, s := range scopes {
		c.must(c.Locator("input[name=" + s + "]").SetChecked(true))
	}
	c.press("Create key")
	token, err := c.Locator("[data-source]").TextContent()
	c.must(err)
	return strings.TrimSpace(token)
}

// An apiClient is a program that knows an address and a key, and speaks plain HTTP.
type apiClient struct {
	t     *testing.T
	url   string
	token string
}

func (p apiClient) request(method, path, body string, header ...string) *http.Response {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	p.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// ask is request for an answer in JSON.
func (p apiClient) ask(want int, method, path, body string, header ...string) (text string, fields map[string]any) {
	p.t.Helper()
	res := p.request(method, path, body, header...)
	data, err := io.ReadAll(res.Body)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil || res.StatusCode != want {
		p.t.Fatalf("%s %s: got %d, %v, want %d\n%s", method, path, res.StatusCode, err, want, data)
	}
	return string(data), fields
}

// follow reads a run's stream from behind an id to the first frame of a type,
// and returns the types of all, that frame and the newest id. The stream is
// left open.
func (p apiClient) follow(run, after, until string) (types []string, frame map[string]any, id string) {
	p.t.Helper()
	lines := bufio.NewScanner(p.request(http.MethodGet, "/v2/runs/"+run+"/stream", "", "Last-Event-ID", after).Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "data":
			var f struct {
				Type string
				Data map[string]any
			}
			if err := json.Unmarshal([]byte(value), &f); err != nil {
				p.t.Fatal(err)
			}
			if n := len(types); f.Type != "token" || n == 0 || types[n-1] != "token" {
				types = append(types, f.Type)
			}
			if f.Type == until {
				return types, f.Data, id
			}
		}
	}
	p.t.Fatalf("there was no %s after %q, but %v, %v", until, after, types, lines.Err())
	return nil, nil, ""
}

// A program starts a run and follows it over a power cut to its end; another
// one decides on it; a person revokes the key of the first.
func TestPrograms(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "I will write it down."
call call_1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
text "It is done."
finish stop
`)
	worker := apiClient{t, c.server.url, c.newKey("Intake form", "run")}
	signer := apiClient{t, c.server.url, c.newKey("Night shift", "decide")}
	_, opened := worker.ask(http.StatusCreated, http.MethodPost, "/v2/conversations", "{}", "Idempotency-Key", "open")
	talk := opened["id"].(string)
	send := func() (string, string) {
		t.Helper()
		text, sent := worker.ask(http.StatusAccepted, http.MethodPost, "/v2/conversations/"+talk+"/messages", `{"text":"Write."}`, "Idempotency-Key", "send")
		return text, sent["run_id"].(string)
	}
	sent, run := send()
	_, card, id := worker.follow(run, "", "approval")

	c.crash()
	if again, _ := send(); again != sent {
		t.Errorf("sent again: got %s, want %s", again, sent)
	}
	types, same, _ := worker.follow(run, id, "approval")
	if len(types) != 1 || same["expires_at"] != card["expires_at"] {
		t.Errorf("after the crash came %v with %v, before it %v", types, same, card)
	}
	call := card["calls"].([]any)[0].(map[string]any)
	if call["name"] != "notes_write" || call["arguments"].(map[string]any)["title"] != "A" {
		t.Errorf("the call is %v", call)
	}
	decision := `{"decisions":[{"call_id":"` + call["call_id"].(string) + `","decision":"once"}]}`
	_, refused := worker.ask(http.StatusForbidden, http.MethodPost, "/v2/runs/"+run+"/approval", decision)
	if code := refused["error"].(map[string]any)["code"]; code != "insufficient_scope" {
		t.Errorf("its own run: got %v", code)
	}
	signer.ask(http.StatusOK, http.MethodPost, "/v2/runs/"+run+"/approval", decision)
	types, done, _ := worker.follow(run, id, "done")
	if got := strings.Join(types, " "); !strings.HasPrefix(got, "state state tool tool ") || done["result"].(map[string]any)["final_output"] != "It is done." {
		t.Errorf("then came %s with %v", got, done)
	}
	c.server.wantFacts(map[string]int{"user_message": 1, "approval_decision": 1, "tool_call_started": 1, "run_finished": 1})

	// A person sees what the program did.
	c.visit("/c/"+talk, http.StatusOK)
	c.wantVisible("a program with the key")
	c.wantVisible("Night shift")
	c.visit("/settings/keys", http.StatusOK)
	c.must(c.GetByText("Revoke Intake form").Click())
	c.press("Revoke key")
	c.wantVisible("The key Intake form was revoked.")
	worker.ask(http.StatusUnauthorized, http.MethodGet, "/v2/runs/"+run, "")
	signer.ask(http.StatusOK, http.MethodGet, "/v2/runs/"+run, "")
}

// The example that the help shows runs as it stands: the text of the attempt
// that fails goes, a power cut is no end, and what it shows last is the answer.
func TestProgramsExample(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
reasoning "Hm. "
text "Wrong."
gate wrong
cut
---
text "Chữ "
gate half
text "never seen whole"
finish stop
---
text "Chữ "
gate again
text "đúng."
finish stop
`)
	worker := apiClient{t, c.server.url, c.newKey("Example", "run")}
	_, opened := worker.ask(http.StatusCreated, http.MethodPost, "/v2/conversations", "{}")
	_, sent := worker.ask(http.StatusAccepted, http.MethodPost, "/v2/conversations/"+opened["id"].(string)+"/messages", `{"text":"Go.","output":{"reasoning":true}}`)
	cmd := exec.CommandContext(t.Context(), os.Getenv("PLAYWRIGHT_NODEJS_PATH"), "../web/api/example/follow.mjs", worker.url, worker.token, sent["run_id"].(string))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	c.must(err)
	c.must(cmd.Start())
	type shown struct{ After, Text, Reasoning string }
	var last shown
	lines := bufio.NewScanner(out)
	until := func(text string) {
		t.Helper()
		for last.Text != text {
			if !lines.Scan() {
				t.Fatalf("it ended with %+v, want %q", last, text)
			}
			c.must(json.Unmarshal(lines.Bytes(), &last))
		}
	}
	until("Wrong.")
	if last.Reasoning != "Hm. " {
		t.Errorf("the reasoning is %q", last.Reasoning)
	}
	c.model.Release("wrong")
	until("")
	until("Chữ ")
	c.crash()
	until("")
	until("Chữ ")
	c.model.Release("again")
	until("Chữ đúng.")
	for lines.Scan() {
		c.must(json.Unmarshal(lines.Bytes(), &last))
	}
	c.must(cmd.Wait())
	if last != (shown{"run_finished", "Chữ đúng.", ""}) {
		t.Errorf("in the end it shows %+v", last)
	}
}
