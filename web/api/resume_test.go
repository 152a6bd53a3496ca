package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/web/api"
	"countersign/web/webtest"
)

const wholeRun = `
text "Wrong."
cut
---
text "I will note it."
call c1 notes_write {"title":"A","text":"one"}
finish tool_calls
---
call c2 ask_user {"questions":[{"header":"A","question":"Which?","options":[{"label":"x"},{"label":"y"}]}]}
finish tool_calls
---
text "Done."
finish stop`

// durable leaves text out: it is not sent twice.
func durable(list []event) []string {
	var words []string
	for _, e := range list {
		if e.kind != "token" {
			words = append(words, e.id+" "+e.kind+" "+string(e.data))
		}
	}
	return words
}

// finish has a run decided and answered to its end.
func (p *program) finish(s sent) {
	p.t.Helper()
	r := p.await(s, agent.StatusWaitingApproval)
	p.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("once", r.Interruptions[0].Approval.Calls...), http.StatusOK, nil)
	p.await(s, agent.StatusWaitingInput)
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/answer", `{"answers":[{"selected":["x"]}]}`, http.StatusOK, nil)
	p.await(s, agent.StatusSucceeded)
}

// Wherever a reader was cut off, it gets what it lacks, once and in order: on
// a run that waits, the card too, and on one that is over, its end.
func TestStream_ResumesAtEveryFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wholeRun)
	p := w.runner()
	s := p.start("Go.")
	p.await(s, agent.StatusWaitingApproval)
	waiting := p.stream(s.RunID, "").until("approval")
	for i, e := range waiting {
		got := p.stream(s.RunID, e.id).until("approval")
		want := waiting[min(i+1, len(waiting)-1):] // the card comes again
		if e.kind == "state" && i+1 < len(waiting) && waiting[i+1].id == e.id {
			want = waiting[i+1:]
		}
		if diff := cmp.Diff(durable(want), durable(got)); diff != "" {
			t.Errorf("waiting, after %s (-want +got):\n%s", durable(waiting[i:i+1]), diff)
		}
	}
	p.finish(s)
	all := p.stream(s.RunID, "").rest()
	want := "state:pending/accepted state:running/claimed attempt:failed state:waiting_approval/approval state:pending/decided state:running/claimed " +
		"tool:notes_write/start tool:notes_write/end state:waiting_input/question state:pending/answered state:running/claimed tool:ask_user/end state:succeeded/finished done"
	if got := show(all); got != want {
		t.Errorf("late: got %s, want %s", got, want)
	}
	for i, e := range all {
		for name, got := range map[string][]event{
			"Last-Event-ID": p.stream(s.RunID, e.id).rest(),
			"after":         p.listen("/v2/runs/"+s.RunID+"/stream?after="+e.id, "").rest(),
		} {
			if diff := cmp.Diff(durable(all[min(i+1, len(all)-1):]), durable(got)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", name, durable(all[i:i+1]), diff)
			}
		}
	}
	last, err := strconv.Atoi(all[len(all)-1].id)
	if err != nil || last < 10 {
		t.Errorf("the last id is %q", all[len(all)-1].id)
	}
	for _, id := range []string{"x", "-1", "1.5", "99999999999999999999"} {
		r := p.request(t.Context(), http.MethodGet, "/v2/runs/"+s.RunID+"/stream", nil)
		r.Header.Set("Last-Event-ID", id)
		p.send(r).refused(t, id, http.StatusUnprocessableEntity, "invalid_request")
	}
}

// Two readers, one of which is cut off after every frame, come to the same. A
// card that was settled while it was away it need not see (contract H28).
func TestStream_TwoReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wholeRun)
	p := w.runner()
	s := p.start("Go.")
	steady := p.stream(s.RunID, "")
	done := make(chan []event, 1)
	go func() {
		var list []event
		for after := ""; ; {
			l := p.stream(s.RunID, after)
			e, err := l.next()
			for err == nil && (e.kind == "token" || slices.ContainsFunc(list, func(had event) bool { return had.id == e.id && had.kind == e.kind })) {
				e, err = l.next()
			}
			l.close()
			if err != nil {
				done <- list
				return
			}
			list, after = append(list, e), e.id
			if e.kind == "done" || e.kind == "error" {
				done <- list
				return
			}
		}
	}()
	p.finish(s)
	facts := func(list []event) []event {
		return slices.DeleteFunc(list, func(e event) bool { return e.kind == "approval" || e.kind == "question" })
	}
	if diff := cmp.Diff(durable(facts(steady.rest())), durable(facts(<-done))); diff != "" {
		t.Errorf("(-steady +cut off):\n%s", diff)
	}
}

// A decision that lands while readers connect leaves no card behind that was
// settled: a card comes before the decision or not at all (trap 6).
func TestStream_NoGhostCards(t *testing.T) {
	t.Parallel()
	const runs = 15
	one := "call c1 notes_write {\"title\":\"A\",\"text\":\"one\"}\nfinish tool_calls\n---\ntext \"Done.\"\nfinish stop\n---\n"
	w := newWorld(t, strings.TrimSuffix(strings.Repeat(one, runs), "---\n"), noLimits)
	p, signer := w.runner(), w.signer()
	id := p.open()
	for range runs {
		s := p.message(id, "Go.")
		calls := p.await(s, agent.StatusWaitingApproval).Interruptions[0].Approval.Calls
		streams := make(chan []event)
		for range 4 {
			go func() { streams <- p.stream(s.RunID, "").rest() }()
		}
		signer.call(http.MethodPost, approvalOf(s.RunID), decisions("once", calls...), http.StatusOK, nil)
		for range 4 {
			got := show(<-streams)
			decided, card := strings.Index(got, "state:pending/decided"), strings.LastIndex(got, "approval ")
			if decided < 0 || card > decided || !strings.HasSuffix(got, "done") {
				t.Errorf("got %s", got)
			}
		}
		p.await(s, agent.StatusSucceeded)
	}
}

// A reader that comes in the middle of an attempt gets what follows.
func TestStream_JoinsAnAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate start\ntext \"Early. \"\ngate half\ntext \"Late.\"\nfinish stop")
	p := w.runner()
	s := p.start("Go.")
	early := p.stream(s.RunID, "")
	w.up.Release("start")
	before := early.until("token")
	late := p.stream(s.RunID, "")
	late.until("state")
	late.until("state") // it is following by now
	w.up.Release("half")
	if got := text(append(before, early.rest()...)); got != "Early. Late." {
		t.Errorf("early: got %q", got)
	}
	rest := late.rest()
	if got := text(rest); got != "Late." {
		t.Errorf("late: got %q", got)
	}
	if done := rest[len(rest)-1]; done.kind != "done" || !strings.Contains(string(done.data), "Early. Late.") {
		t.Errorf("the end is %s %s", done.kind, done.data)
	}
}

// An attempt that is held back until it has succeeded comes in one piece.
func TestStream_Buffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Wrong.\"\ncut\n---\ntext \"Ri\"\ntext \"ght.\"\ngate half\nfinish stop")
	p := w.runner()
	id := p.open()
	var s sent
	p.call(http.MethodPost, "/v2/conversations/"+id+"/messages", `{"text":"Go.","output":{"buffer_attempts":true}}`, http.StatusAccepted, &s)
	l := p.stream(s.RunID, "")
	w.up.Reached("half")
	w.up.Release("half")
	list := l.rest()
	if got := text(list); got != "Right." || strings.Contains(show(list), "attempt:failed token attempt") {
		t.Errorf("got %s with %q", show(list), got)
	}
}

// Silence is filled with comments, and a stream that is only waiting stays.
func TestStream_KeepAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate never\nfinish stop", webtest.API(api.Limits{KeepAlive: 10 * time.Millisecond}))
	p := w.runner()
	s := p.start("Go.")
	w.up.Reached("never")
	l := p.stream(s.RunID, "")
	for i := 0; i < 5; {
		line, err := l.body.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == ": keepalive\n" {
			i++
		}
	}
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/cancel", nil, http.StatusAccepted, nil)
	if got := show(l.rest()); !strings.HasSuffix(got, "error:cancelled") {
		t.Errorf("got %s", got)
	}
}

// Where a run can't be followed, it goes on all the same (trap 10).
func TestStream_Unavailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate half\ntext \"Done.\"\nfinish stop", webtest.API(api.Limits{KeyStreams: 2, Streams: 3}))
	p, q := w.runner(), w.runner()
	s := p.start("Go.")
	path := "/v2/runs/" + s.RunID + "/stream"
	one := p.stream(s.RunID, "")
	p.stream(s.RunID, "")
	got := p.do(http.MethodGet, path, nil)
	got.refused(t, "one too many of a key", http.StatusServiceUnavailable, "stream_unavailable")
	if got.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	q.stream(s.RunID, "")
	q.do(http.MethodGet, path, nil).refused(t, "one too many", http.StatusServiceUnavailable, "stream_unavailable")
	w.up.Release("half")
	if r := p.await(s, agent.StatusSucceeded); r.Result.FinalOutput != "Done." {
		t.Errorf("the run is %+v", r)
	}
	one.rest()
	// The server is about to stop.
	if err := w.s.Site.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	p.do(http.MethodGet, path, nil).refused(t, "while it stops", http.StatusServiceUnavailable, "stream_unavailable")
	p.readRun(s.RunID)
}

// A reader that stops reading holds up nobody, and has every word once it reads
// on, though the server kept no more than a bounded part of them for it.
func TestStream_SlowReader(t *testing.T) {
	t.Parallel()
	const pieces = 400
	piece := strings.Repeat("0123456789abcde ", 128)
	w := newWorld(t, fmt.Sprintf("gate start\nrepeat %d text %q\ngate half\nfinish stop", pieces, piece))
	p := w.runner()
	s := p.start("Go.")
	l := p.stream(s.RunID, "")
	l.until("state")
	quick := p.stream(s.RunID, "")
	w.up.Release("start")
	w.up.Reached("half")
	quick.until("token")
	w.up.Release("half")
	p.await(s, agent.StatusSucceeded)
	quick.rest()
	got := text(l.rest())
	if want := strings.Repeat(piece, pieces); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

// One that never reads on is given up.
func TestStream_StuckReader(t *testing.T) {
	t.Parallel()
	script := fmt.Sprintf("gate start\nrepeat 150 text %q\nfinish stop", strings.Repeat("0123456789abcde ", 1<<12))
	w := newWorld(t, script, webtest.API(api.Limits{Write: 50 * time.Millisecond, Streams: 1}))
	p := w.runner()
	s := p.start("Go.")
	l := p.stream(s.RunID, "")
	l.until("state")
	w.up.Release("start")
	p.await(s, agent.StatusSucceeded)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for { // the stuck one holds the only place until it is given up
		r := p.request(ctx, http.MethodGet, "/v2/runs/"+s.RunID+"/stream", nil)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			break
		}
	}
	var err error
	for err == nil {
		_, err = l.next()
	}
	if errors.Is(err, io.EOF) {
		t.Error("it reads to a good end")
	}
}

// Deleting a conversation cuts off what follows it.
func TestStream_Deleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate never\nfinish stop")
	p := w.runner()
	s := p.start("Go.")
	l := p.stream(s.RunID, "")
	w.up.Reached("never")
	p.call(http.MethodDelete, "/v2/conversations/"+s.ConversationID, nil, http.StatusNoContent, nil)
	if got := show(l.rest()); strings.HasSuffix(got, "done") {
		t.Errorf("got %s", got)
	}
	p.do(http.MethodGet, "/v2/runs/"+s.RunID, nil).refused(t, "the run", http.StatusNotFound, "run_not_found")
	p.do(http.MethodDelete, "/v2/conversations/"+s.ConversationID, nil).refused(t, "again", http.StatusNotFound, "conversation_not_found")
}
