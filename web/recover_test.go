package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestPanicsAreAnswered(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{config: Config{Now: time.Now}, log: slog.New(slog.NewTextHandler(&log, nil))}
	handler := s.logRequests(s.recoverPanics(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic("canary: what a person wrote")
	})))
	res := httptest.NewRecorder()
	handler.ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))

	id := res.Header().Get("X-Request-Id")
	if res.Code != http.StatusInternalServerError || id == "" || !strings.Contains(res.Body.String(), id) {
		t.Errorf("got %d, want 500 with the request's id %q\n%s", res.Code, id, res.Body)
	}
	if strings.Contains(res.Body.String()+log.String(), "canary") {
		t.Errorf("the panic's text leaked:\n%s", log.String())
	}
	if !strings.Contains(log.String(), "recover_test.go") || !strings.Contains(log.String(), "status=500") {
		t.Errorf("the log lacks the stack or the status:\n%s", log.String())
	}
}

// A program is answered as programs are.
func TestPanicsAreAnsweredToPrograms(t *testing.T) {
	t.Parallel()
	s := &Server{config: Config{Now: time.Now}, log: slog.New(slog.DiscardHandler)}
	res := httptest.NewRecorder()
	s.recoverPanics(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("canary") })).
		ServeHTTP(res, httptest.NewRequestWithContext(t.Context(), "GET", "/v2/runs/r_1", nil))
	if res.Code != http.StatusInternalServerError || !strings.HasPrefix(res.Body.String(), `{"error":{"code":"internal",`) {
		t.Errorf("got %d %s", res.Code, res.Body)
	}
}

// TestHijackReachesTheConnection guards the upgrade of sockets: it asks the
// outermost writer for the connection.
func TestHijackReachesTheConnection(t *testing.T) {
	t.Parallel()
	s := &Server{config: Config{Now: time.Now}, log: slog.New(slog.DiscardHandler)}
	handler := s.logRequests(secureHeaders(s.recoverPanics(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			t.Errorf("%T does not implement http.Hijacker", w)
			return
		}
		conn, _, err := hijacker.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 204 No Content\r\nX-Taken: yes\r\nConnection: close\r\n\r\n"))
		_ = conn.Close()
	}))))
	server := httptest.NewServer(handler)
	defer server.Close()
	res, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	server.Client().CloseIdleConnections()
	if res.Header.Get("X-Taken") != "yes" {
		t.Errorf("got %v, want what the hijacker wrote", res.Header)
	}
}
