package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// A panic closes its own socket, and what it holds reaches no log.
func TestPanicOfASocketClosesIt(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		func() {
			defer s.closePanicked(&socket{conn: conn, cancel: cancel})
			panic("canary: what a person wrote")
		}()
	}))
	defer server.Close()
	header := http.Header{"Origin": {server.URL}}
	conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(server.URL, "http", "ws", 1), header)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
		t.Errorf("got %v, want the connection closed", err)
	}
	<-done
	if ctx.Err() == nil {
		t.Error("the socket's context goes on")
	}
	if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, "socket_panic_test.go") {
		t.Errorf("the log tells the panic's text, or not where it was:\n%s", text)
	}
}
