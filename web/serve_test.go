package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/agent"
	"countersign/web"
	"countersign/web/webtest"
)

// listen serves the pages of a site as the program does, on another address.
func listen(t *testing.T, site *web.Server, readTimeout time.Duration) (*http.Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := site.HTTPServer()
	if server.ReadTimeout <= 0 || server.ReadTimeout > time.Minute || server.ReadHeaderTimeout <= 0 {
		t.Errorf("a request may take %s, its header %s", server.ReadTimeout, server.ReadHeaderTimeout)
	}
	server.ReadTimeout = readTimeout
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return server, listener.Addr().String()
}

// sendSlowly sends the beginning of a form, and no more.
func sendSlowly(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST /login HTTP/1.1\r\nHost: %s\r\nOrigin: http://%s\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", address, address)
	if err != nil {
		t.Fatal(err)
	}
	// The server asks for the body once a handler reads it.
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q, %v", line, err)
	}
	return conn
}

// A form that never ends is given up, and is no fault of the server.
func TestSlowRequestIsGivenUp(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	_, address := listen(t, s.Site, 300*time.Millisecond)
	conn := sendSlowly(t, address)
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
	if strings.Contains(s.Log(), `"level":"ERROR"`) {
		t.Errorf("the log has an error:\n%s", s.Log())
	}
}

// A socket outlives the limit on requests.
func TestSocketIsNoSlowRequest(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	d := newDialogue(t, "gate half\ntext \"Hello.\"\nfinish stop", setting{})
	_, address := listen(t, d.s.Site, limit)
	d.send("Say hello.")
	d.up.Reached("half")
	other := *d.s
	other.URL = "http://" + address
	tab := open(t, &other, d.s.Admin, d.url())
	// A slow request that came later is given up: the limit is over.
	slow := sendSlowly(t, address)
	_, _ = io.Copy(io.Discard, slow)
	d.up.Release("half")
	d.until(agent.StatusSucceeded)
	d.agree(tab)
}

// A stop cuts off whoever is too slow for it, and is in order all the same.
func TestStopDoesNotWaitForSlowRequests(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	server, address := listen(t, s.Site, time.Hour)
	conn := sendSlowly(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := s.Site.StopHTTP(ctx, server); err != nil {
		t.Error(err)
	}
	_, err := io.Copy(io.Discard, conn)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection is still open")
	}
	if strings.Contains(s.Log(), `"level":"ERROR"`) {
		t.Errorf("the log has an error:\n%s", s.Log())
	}
}
