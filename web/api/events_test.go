package api_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/agent"
)

// A journalEvent is an event of the journal as a program reads it.
type journalEvent struct {
	Type  string
	Seq   *int64
	RunID string `json:"run_id"`
	Data  struct {
		Attempt string `json:"attempt_id"`
		Outcome string
		Start   int
		Text    string
		Status  string
	}
}

// nextEvent reads an event of the journal, holding it to the document.
func (l *listening) nextEvent() (journalEvent, error) {
	l.t.Helper()
	e, err := l.next()
	if err != nil {
		return journalEvent{}, err
	}
	line := strings.SplitN(strings.SplitN(e.raw, "data: ", 2)[1], "\n", 2)[0]
	checkJSON(l.t, "an event", map[string]any{"$ref": "#/components/schemas/JournalEvent"}, []byte(line))
	var j journalEvent
	if err := json.Unmarshal([]byte(line), &j); err != nil {
		return j, err
	}
	return j, nil
}

// attempts keeps a buffer for each attempt as the document says: text at 0
// takes the place of what was there, and a failed attempt's goes.
type attempts struct {
	answer, reasoning map[string]string
	seen              map[int64]bool
	kinds             []string
	over              bool
}

func (a *attempts) apply(t *testing.T, e journalEvent) {
	t.Helper()
	if a.seen == nil {
		a.answer, a.reasoning, a.seen = make(map[string]string), make(map[string]string), make(map[int64]bool)
	}
	if e.Seq != nil {
		if a.seen[*e.Seq] {
			t.Errorf("the record %d came twice", *e.Seq)
		}
		a.seen[*e.Seq] = true
		a.kinds = append(a.kinds, e.Type)
	}
	switch e.Type {
	case "assistant_delta", "reasoning_delta":
		to := a.answer
		if e.Type == "reasoning_delta" {
			to = a.reasoning
		}
		if e.Data.Start > len(to[e.Data.Attempt]) {
			t.Errorf("a gap before %d in %q", e.Data.Start, to[e.Data.Attempt])
		}
		to[e.Data.Attempt] = to[e.Data.Attempt][:min(e.Data.Start, len(to[e.Data.Attempt]))] + e.Data.Text
	case "model_attempt_finished":
		if e.Data.Outcome != "completed" {
			delete(a.answer, e.Data.Attempt)
			delete(a.reasoning, e.Data.Attempt)
		}
	case "assistant_message":
		if e.Data.Text != "" && a.answer[e.Data.Attempt] != e.Data.Text {
			a.answer[e.Data.Attempt] = e.Data.Text
		}
	case "run_finished":
		a.over = true
	}
}

// The events have every record of the run once, and every attempt’s text
// apart, wherever a reader is cut off.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
gate start
reasoning "Hm. "
text "Wrong."
gate one
cut
---
reasoning "Right, "
text "Ri"
gate two
text "ght."
finish stop`)
	p := w.runner()
	id := p.open()
	var s sent
	p.call(http.MethodPost, "/v2/conversations/"+id+"/messages", `{"text":"Go.","output":{"reasoning":true}}`, http.StatusAccepted, &s)
	path := "/v2/runs/" + s.RunID + "/events"
	l := p.listen(path, "")
	w.up.Release("start")
	var steady attempts
	step := func(l *listening, a *attempts, until func() bool) {
		t.Helper()
		for !until() {
			e, err := l.nextEvent()
			if err != nil {
				t.Fatalf("%v; got %v", err, a.kinds)
			}
			if e.RunID != s.RunID {
				t.Errorf("an event of %s", e.RunID)
			}
			a.apply(t, e)
		}
	}
	has := func(a *attempts, text string) func() bool {
		return func() bool {
			for _, got := range a.answer {
				if got == text {
					return true
				}
			}
			return false
		}
	}
	step(l, &steady, has(&steady, "Wrong."))
	w.up.Release("one")
	step(l, &steady, has(&steady, "Ri"))
	if len(steady.answer) != 1 || len(steady.reasoning) != 1 {
		t.Errorf("two attempts are shown: %v, %v", steady.answer, steady.reasoning)
	}
	// One that comes now gets what was written so far.
	var late attempts
	second := p.listen(path, "")
	step(second, &late, has(&late, "Ri"))
	// And one that was cut off gets the records that it lacks.
	resumed := steady
	resumed.seen, resumed.kinds = map[int64]bool{}, nil
	third := p.listen(path, l.last)
	w.up.Release("two")
	for _, r := range []struct {
		l *listening
		a *attempts
	}{{l, &steady}, {second, &late}} {
		step(r.l, r.a, func() bool { return r.a.over })
		if !has(r.a, "Right.")() || len(r.a.answer) != 1 || len(r.a.reasoning) != 1 {
			t.Errorf("got %v and %v", r.a.answer, r.a.reasoning)
		}
		if rest := r.l.rest(); len(rest) != 0 {
			t.Errorf("after the end: %s", show(rest))
		}
	}
	step(third, &resumed, func() bool { return resumed.over })
	if len(resumed.kinds) == 0 || resumed.kinds[0] == "user_message" {
		t.Errorf("one that was cut off got %v", resumed.kinds)
	}
	want := "user_message run_created run_started model_attempt_started model_attempt_finished provider_error model_usage retry_scheduled " +
		"model_attempt_started model_attempt_finished model_usage assistant_message run_finished"
	for _, a := range []*attempts{&steady, &late} {
		if got := strings.Join(a.kinds, " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The server gives a request a time to arrive, and a stream is not bound by it.
func TestStream_OutlastsTheTimeOfRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate half\ntext \"Late.\"\nfinish stop")
	server := w.s.Site.HTTPServer()
	server.ReadTimeout = 50 * time.Millisecond
	url := w.serve(server)
	p := w.runner()
	s := p.start("Go.")
	local := *w.s
	local.URL = url
	inner := *w
	inner.s = &local
	q := &program{&inner, p.token, p.key}
	l := q.stream(s.RunID, "")
	l.until("state")
	w.up.Reached("half")
	ctx, cancel := context.WithTimeout(t.Context(), 4*server.ReadTimeout)
	defer cancel()
	<-ctx.Done()
	w.up.Release("half")
	if got := l.rest(); text(got) != "Late." || !strings.HasSuffix(show(got), "done") {
		t.Errorf("got %s", show(got))
	}
	p.await(s, agent.StatusSucceeded)
}

// serve serves on a free port until the test ends.
func (w *world) serve(server *http.Server) string {
	w.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(w.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	w.t.Cleanup(func() { _ = server.Close(); <-done })
	return "http://" + listener.Addr().String()
}
