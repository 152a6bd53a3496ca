package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
)

const notes = `
gate start
text "I will note "
text "it."
call c1 notes_write {"title":"Milk","text":"two"}
finish tool_calls
---
text "It is "
text "noted."
finish stop`

// The frames of a run that waits for a decision, on one connection: nothing is
// left out, and the end is the last.
func TestStream_Approval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notes)
	p := w.runner()
	s := p.start("Note it.")
	l := p.stream(s.RunID, "")
	w.up.Release("start")
	before := l.until("approval")
	if got, want := show(before), "state:pending/accepted state:running/claimed token state:waiting_approval/approval approval"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := text(before); got != "I will note it." {
		t.Errorf("the tokens say %q", got)
	}
	var card pending
	if err := json.Unmarshal(before[len(before)-1].data, &card); err != nil {
		t.Fatal(err)
	}
	if card.RunID != s.RunID || len(card.Calls) != 1 || card.Calls[0].Name != "notes_write" || string(card.Calls[0].Arguments) != `{"title":"Milk","text":"two"}` {
		t.Errorf("the card is %s", before[len(before)-1].data)
	}
	if !strings.HasSuffix(card.ExpiresAt, "+00:00") {
		t.Errorf("expires_at %q has no offset", card.ExpiresAt)
	}
	w.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("once", card.Calls...), http.StatusOK, nil)
	after := l.rest()
	want := "state:pending/decided state:running/claimed tool:notes_write/start tool:notes_write/end token state:succeeded/finished done"
	if got := show(after); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := text(after); got != "It is noted." {
		t.Errorf("the tokens say %q", got)
	}
	done := after[len(after)-1]
	if got, want := string(done.data), `{"result":{"final_output":"It is noted.","refusal":null,"stop_reason":null,"citations":[]},"citations":[]}`; got != want {
		t.Errorf("done is %s, want %s", got, want)
	}
}

// A call that is denied ends without having started, and the run succeeds.
func TestStream_Denied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notes)
	p := w.runner()
	s := p.start("Note it.")
	w.up.Release("start")
	r := p.await(s, agent.StatusWaitingApproval)
	l := p.stream(s.RunID, "")
	if got, want := show(l.until("approval")), "state:pending/accepted state:running/claimed state:waiting_approval/approval approval"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	w.signer().call(http.MethodPost, approvalOf(s.RunID), decisions("deny", r.Interruptions[0].Approval.Calls...), http.StatusOK, nil)
	want := "state:pending/decided state:running/claimed tool:notes_write/end/error token state:succeeded/finished done"
	if got := show(l.rest()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStream_Question(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
call c1 ask_user {"questions":[{"header":"Branch","question":"Which one?","options":[{"label":"District 1","description":"Open until 22:00"},{"label":"District 3","description":""}]}]}
finish tool_calls
---
text "District 3."
finish stop`)
	p := w.runner()
	s := p.start("Order.")
	l := p.stream(s.RunID, "")
	list := l.until("question")
	want := `"questions":[{"header":"Branch","question":"Which one?","multi_select":false,"options":[{"label":"District 1","description":"Open until 22:00"},{"label":"District 3","description":""}]}]}`
	if q := list[len(list)-1]; !strings.HasSuffix(string(q.data), want) || q.field("run_id") != s.RunID || q.field("call_id") == "" {
		t.Errorf("got %s", q.data)
	}
	p.call(http.MethodPost, "/v2/runs/"+s.RunID+"/answer", `{"answers":[{"index":0,"selected":["District 3"]}]}`, http.StatusOK, nil)
	rest := l.rest()
	if got, want := show(rest), "state:pending/answered state:running/claimed tool:ask_user/end token state:succeeded/finished done"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := rest[2].field("result"); got != `{"answers":{"Branch":"District 3"}}` {
		t.Errorf("the tool frame has the result %q", got)
	}
}

// The text of a failed attempt is withdrawn: its tokens name it.
func TestStream_FailedAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
gate start
text "Wrong."
gate half
cut
---
text "Right."
finish stop`)
	p := w.runner()
	s := p.start("Say.")
	l := p.stream(s.RunID, "")
	w.up.Release("start")
	list := l.until("token")
	w.up.Release("half")
	list = append(list, l.rest()...)
	var withdrawn string
	shown := make(map[string]string)
	for _, e := range list {
		switch e.kind {
		case "token":
			shown[e.field("attempt_id")] += e.field("delta")
		case "attempt":
			withdrawn = e.field("attempt_id")
			delete(shown, withdrawn)
		}
	}
	if got, want := show(list), "state:pending/accepted state:running/claimed token attempt:failed token state:succeeded/finished done"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(shown) != 1 || withdrawn == "" || text(list) != "Wrong.Right." {
		t.Errorf("withdrawn is %q, left is %q", withdrawn, shown)
	}
}

func TestStream_EndsInError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "status 401 authentication\n---\ngate never\nfinish stop")
	p := w.runner()
	failed := p.start("Fail.")
	list := p.stream(failed.RunID, "").rest()
	last := list[len(list)-1]
	if last.kind != "error" || last.field("code") != "provider_error" || strings.Contains(string(last.data), "citations") ||
		!strings.Contains(last.field("provider_error"), `"http_status":401`) {
		t.Errorf("got %s %s", show(list), last.data)
	}
	cancelled := p.start("Wait.")
	l := p.stream(cancelled.RunID, "")
	w.up.Reached("never")
	p.call(http.MethodPost, "/v2/runs/"+cancelled.RunID+"/cancel", nil, http.StatusAccepted, nil)
	p.call(http.MethodPost, "/v2/runs/"+cancelled.RunID+"/cancel", nil, http.StatusOK, nil)
	if got := show(l.rest()); !strings.HasSuffix(got, "attempt:interrupted state:cancelled/finished error:cancelled") {
		t.Errorf("got %s", got)
	}
}

// TestStream_LineEnds replays the case api-token-frame-newlines: whatever the
// model writes, a frame is one line.
func TestStream_LineEnds(t *testing.T) {
	t.Parallel()
	input, err := os.ReadFile("testdata/api-token-frame-newlines/input.sse")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Expected struct {
			Joined string `json:"joined_token_deltas"`
			Frames struct {
				Types []string `json:"types_in"`
			}
		}
	}
	data, err := os.ReadFile("testdata/api-token-frame-newlines/case.json")
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Expected.Joined == "" {
		t.Fatalf("the case can't be read: %v", err)
	}
	release := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(input)
	}))
	t.Cleanup(up.Close)
	p := newWorldAt(t, up.URL).runner()
	l := p.stream(p.start("A table.").RunID, "")
	close(release)
	list := l.rest()
	if diff := cmp.Diff(c.Expected.Joined, text(list)); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	done := 0
	for _, e := range list {
		if !strings.Contains(strings.Join(c.Expected.Frames.Types, " "), e.kind) {
			t.Errorf("a frame of the type %q", e.kind)
		}
		if e.kind == "done" {
			done++
		}
		if strings.ContainsAny(e.raw, "\r\u2028\u2029") || strings.Count(e.raw, "\n") != 3 {
			t.Errorf("a frame is %q", e.raw)
		}
	}
	if done != 1 || list[len(list)-1].kind != "done" {
		t.Errorf("got %s", show(list))
	}
}
