package command_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// A client that never finishes its request does not spoil a stop.
func TestServe_StopsInOrder(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	host := strings.TrimPrefix(s.url, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", host)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // a handler has begun to read
		t.Fatal(err)
	}
	s.end(syscall.SIGTERM)
	if code := s.proc.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.said)
	}
}

// What programs follow ends when the server stops, and is not waited for.
func TestServe_StopsWithStreams(t *testing.T) {
	t.Parallel()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0") // takes requests and answers none
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p := newPlace(t)
	p.write("key.txt", canary+"\n")
	p.write("password.txt", password+"\n")
	p.do("apply", p.write("setup.yaml", strings.Replace(setup, "127.0.0.1:9", silent.Addr().String(), 1)))
	token := strings.TrimSpace(p.do("keys", "create", "--user", "admin@example.com", "--name", "x", "--scopes", "read,run"))
	s := p.serve()
	ask := func(method, path, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", token)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %v, %v", method, path, res, err)
		}
		t.Cleanup(func() { _ = res.Body.Close() })
		return res
	}
	read := func(res *http.Response) (fields struct {
		ID    string
		RunID string `json:"run_id"`
	}) {
		t.Helper()
		if err := json.NewDecoder(res.Body).Decode(&fields); err != nil {
			t.Fatal(err)
		}
		return fields
	}
	talk := read(ask(http.MethodPost, "/v2/conversations", "{}")).ID
	run := read(ask(http.MethodPost, "/v2/conversations/"+talk+"/messages", `{"text":"Go."}`)).RunID
	stream := ask(http.MethodGet, "/v2/runs/"+run+"/stream", "")
	if _, err := stream.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	s.end(syscall.SIGTERM)
	if rest, err := io.ReadAll(stream.Body); err != nil || strings.Contains(string(rest), `"type":"error"`) {
		t.Errorf("the stream ended with %v and %s", err, rest)
	}
	if code := s.proc.ProcessState.ExitCode(); code != 0 || strings.Contains(p.said.String(), "cut off by the stop") {
		t.Errorf("exit code %d\n%s", code, p.said)
	}
}
