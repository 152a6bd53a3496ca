//go:build linux

package web_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"countersign/views"
	"countersign/web/webtest"
)

// What a page costs the server while nothing happens.
func BenchmarkIdleSockets(b *testing.B) {
	const sockets = 1000
	s := webtest.New(b)
	d := &dialogue{t: b, s: s, id: written(b, s, 20)}
	page := load(b, s.Admin, views.ConversationURL(d.id))
	for b.Loop() {
		before := memoryNow(b)
		conns := make([]net.Conn, sockets)
		for i := range conns {
			conns[i] = bareSocket(b, s, page.Live(), page.Hello())
		}
		after := memoryNow(b)
		b.ReportMetric(float64(after.heap-before.heap)/1024/sockets, "heap-KiB/socket")
		b.ReportMetric(float64(after.stack-before.stack)/1024/sockets, "stack-KiB/socket")
		b.ReportMetric(float64(after.rss-before.rss)/1024/sockets, "rss-KiB/socket")
		b.ReportMetric(float64(after.goroutines-before.goroutines)/sockets, "goroutines/socket")
		for _, c := range conns {
			_ = c.Close()
		}
	}
}

// bareSocket connects with as little memory on this side as there can be, and
// waits for the first frame.
func bareSocket(b *testing.B, s *webtest.Server, path, hello string) net.Conn {
	b.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: %s\r\nCookie: %s\r\n\r\n",
		path, strings.TrimPrefix(s.URL, "http://"), s.URL, cookies(s.Admin).Get("Cookie"))
	r := bufio.NewReaderSize(conn, 512)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		b.Fatalf("the socket was refused: %v, %v", res, err)
	}
	// A whole text message, masked with zeros.
	if _, err := conn.Write(append([]byte{0x81, 0x80 | byte(len(hello)), 0, 0, 0, 0}, hello...)); err != nil {
		b.Fatal(err)
	}
	if _, err := r.ReadByte(); err != nil {
		b.Fatal(err)
	}
	return conn
}

type memory struct{ heap, stack, rss, goroutines int64 }

func memoryNow(b *testing.B) memory {
	b.Helper()
	for range 4 { // stacks shrink by half each time
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memory{int64(m.HeapAlloc), int64(m.StackInuse), proc(b, "status", "VmRSS:") * 1024, int64(runtime.NumGoroutine())}
}
