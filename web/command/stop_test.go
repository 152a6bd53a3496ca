package command_test

import (
	"fmt"
	"net"
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
