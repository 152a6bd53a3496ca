//go:build linux

package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"countersign/agent"
	"countersign/providers/sse"
	"countersign/web/webtest"
)

// tokenBytes is the length of a token of a pacedUpstream.
const tokenBytes = 20

// A pacedUpstream answers every request with tokens at a steady rate and notes
// when it wrote each. It answers one request at a time.
type pacedUpstream struct {
	*httptest.Server
	tokens int
	every  time.Duration
	begin  chan struct{} // a value lets an answer begin

	mu    sync.Mutex
	wrote []time.Time
}

func newPacedUpstream(b *testing.B, tokens, perSecond int) *pacedUpstream {
	u := &pacedUpstream{tokens: tokens, every: time.Second / time.Duration(perSecond), begin: make(chan struct{})}
	u.Server = httptest.NewServer(u)
	b.Cleanup(u.Close)
	return u
}

func (u *pacedUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	chunk := func(delta, reason string) {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`+"\n\n", delta, reason)
		_ = http.NewResponseController(w).Flush()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk(`"role":"assistant"`, "null")
	select {
	case <-u.begin:
	case <-r.Context().Done():
		return
	}
	wrote := make([]time.Time, u.tokens)
	start := time.Now()
	for i := range wrote {
		<-time.After(time.Until(start.Add(time.Duration(i) * u.every)))
		wrote[i] = time.Now()
		chunk(fmt.Sprintf(`"content":"token %06d, ok? \\n"`, i), "null")
	}
	u.mu.Lock()
	u.wrote = wrote
	u.mu.Unlock()
	chunk("", `"stop"`)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// A tally collects what answers cost.
type tally struct {
	u       *pacedUpstream
	before  usage
	late    []time.Duration // of each token, from upstream to the reader
	answers int
}

// arrived notes when each token of an answer reached the reader.
func (c *tally) arrived(at []time.Time) {
	c.u.mu.Lock()
	defer c.u.mu.Unlock()
	for i, t := range at {
		c.late = append(c.late, t.Sub(c.u.wrote[i]))
	}
	c.answers++
}

func (c *tally) report(b *testing.B) {
	cost := usageNow(b).since(c.before)
	thousands := float64(c.answers*c.u.tokens) / 1000
	slices.Sort(c.late)
	percentile := func(p int) float64 { return float64(c.late[(len(c.late)-1)*p/100].Microseconds()) / 1000 }
	b.ReportMetric(percentile(50), "p50-ms")
	b.ReportMetric(percentile(95), "p95-ms")
	b.ReportMetric(cost.cpu.Seconds()*1000/thousands, "cpu-ms/1000tok")
	b.ReportMetric(float64(cost.disk)/1024/thousands, "disk-KiB/1000tok")
	b.ReportMetric(0, "ns/op") // the pace of the upstream, which says nothing
}

// What an answer costs on its way from a model to a page, beside reading the
// same stream with nothing in between. Upstream and reader are in this process
// and in both figures.
func BenchmarkAnswer(b *testing.B) {
	b.Run("direct", func(b *testing.B) { benchmarkDirect(b, newPacedUpstream(b, 1000, 100)) })
	b.Run("countersign", func(b *testing.B) { benchmarkSpine(b, newPacedUpstream(b, 1000, 100)) })
}

// The work for a token must not depend on how many came before it: both cost
// the same for a thousand.
func BenchmarkAnswerLength(b *testing.B) {
	for _, tokens := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("tokens=%d", tokens), func(b *testing.B) {
			benchmarkSpine(b, newPacedUpstream(b, tokens, 1000))
		})
	}
}

func benchmarkDirect(b *testing.B, u *pacedUpstream) {
	c := &tally{u: u, before: usageNow(b)}
	for b.Loop() {
		res, err := http.Post(u.URL, "application/json", bytes.NewReader([]byte(`{"stream":true}`)))
		if err != nil {
			b.Fatal(err)
		}
		u.begin <- struct{}{}
		var at []time.Time
		for r := sse.NewReader(res.Body, sse.Limits{}); ; {
			event, err := r.Next()
			if err != nil {
				b.Fatal(err)
			}
			if string(event.Data) == "[DONE]" {
				break
			}
			at = append(at, time.Now())
		}
		_ = res.Body.Close()
		c.arrived(at[1 : 1+u.tokens]) // between the role and the finish
	}
	c.report(b)
	http.DefaultClient.CloseIdleConnections()
}

func benchmarkSpine(b *testing.B, u *pacedUpstream) {
	d := &dialogue{t: b, s: webtest.New(b)}
	d.model = addModel(b, d.s, u.URL, agent.RetryPolicy{})
	if _, err := d.s.DB.Agents().Save(b.Context(), agent.Agent{Name: "Assistant", Model: d.model}); err != nil {
		b.Fatal(err)
	}
	c := &tally{u: u, before: usageNow(b)}
	for b.Loop() {
		d.id = ""
		d.send("Write.")
		conn := follow(b, d)
		u.begin <- struct{}{}
		c.arrived(watch(b, conn, u.tokens))
		_ = conn.Close()
	}
	c.report(b)
}

// follow opens the socket of the conversation's page and says what it has.
func follow(b *testing.B, d *dialogue) *websocket.Conn {
	b.Helper()
	page := load(b, d.s.Admin, d.url())
	header := cookies(d.s.Admin)
	header.Set("Origin", d.s.URL)
	conn, _, err := websocket.DefaultDialer.DialContext(b.Context(), strings.Replace(d.s.URL, "http", "ws", 1)+page.Live(), header)
	if err != nil {
		b.Fatal(err)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte(page.Hello())); err != nil {
		b.Fatal(err)
	}
	return conn
}

// draftEnd finds how far a frame takes the draft of an answer.
var draftEnd = regexp.MustCompile(`data-channel="answer"[^>]*data-end="(\d+)"`)

// watch returns when each token of an answer had reached the page. It does no
// more than it must: a browser has a machine of its own.
func watch(b *testing.B, conn *websocket.Conn, tokens int) []time.Time {
	b.Helper()
	var at []time.Time
	for len(at) < tokens {
		_, frame, err := conn.ReadMessage()
		if err != nil {
			b.Fatal(err)
		}
		now, end := time.Now(), 0
		for _, m := range draftEnd.FindAllSubmatch(frame, -1) {
			end, _ = strconv.Atoi(string(m[1])) // it is a number
		}
		if bytes.Contains(frame, []byte("is-final")) {
			end = tokens * tokenBytes
		}
		for len(at) < min(end/tokenBytes, tokens) {
			at = append(at, now)
		}
	}
	return at
}
