package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/web/api"
	"countersign/web/webtest"
)

// named sends a request with an Idempotency-Key.
func (p *program) named(method, path, key string, body any) reply {
	p.t.Helper()
	r := p.request(p.t.Context(), method, path, body)
	r.Header.Set("Idempotency-Key", key)
	return p.send(r)
}

// A hundred requests at once with one key make one run; whoever does not get
// the answer is told that it is under way, and gets it later.
func TestIdempotency_Parallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Once.\"\nfinish stop")
	p := w.runner()
	id := p.open()
	path := "/v2/conversations/" + id + "/messages"
	var mu sync.Mutex
	answers := make(map[string]int)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			got := p.named(http.MethodPost, path, "one", map[string]any{"text": "Go."})
			mu.Lock()
			defer mu.Unlock()
			if got.status == http.StatusConflict {
				got.refused(t, "meanwhile", http.StatusConflict, "request_in_progress")
			} else {
				answers[got.text]++
			}
		})
	}
	wg.Wait()
	if len(answers) != 1 {
		t.Fatalf("got %v, want one answer", answers)
	}
	for text := range answers {
		got := p.named(http.MethodPost, path, "one", map[string]any{"text": "Go."})
		if got.status != http.StatusAccepted || got.text != text || got.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("afterwards: got %d %s, want %s", got.status, got.text, text)
		}
		run, _, _ := strings.Cut(strings.Split(text, `"run_id":"`)[1], `"`)
		p.await(sent{RunID: run, ConversationID: id}, agent.StatusSucceeded)
	}
	if c := p.read(id); len(c.Messages) != 2 || len(c.Queue) != 0 {
		t.Errorf("the conversation is %+v", c)
	}
}

func TestIdempotency_Scope(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p, other := w.runner(), w.runner()
	first := p.named(http.MethodPost, "/v2/conversations", "k", struct{}{})
	if again := p.named(http.MethodPost, "/v2/conversations", "k", struct{}{}); again.text != first.text || again.status != first.status {
		t.Errorf("again: got %d %s, want %s", again.status, again.text, first.text)
	}
	p.named(http.MethodPost, "/v2/conversations", "k", `{"agent":""}`).refused(t, "another body", http.StatusUnprocessableEntity, "idempotency_key_reused")
	for name, got := range map[string]reply{
		"another key":     p.named(http.MethodPost, "/v2/conversations", "l", struct{}{}),
		"another program": other.named(http.MethodPost, "/v2/conversations", "k", struct{}{}),
		"no key":          p.do(http.MethodPost, "/v2/conversations", struct{}{}),
	} {
		if got.status != http.StatusCreated || got.text == first.text {
			t.Errorf("%s: got %d %s", name, got.status, got.text)
		}
	}
	for _, key := range []string{"with space", strings.Repeat("k", 256), "käse"} {
		p.named(http.MethodPost, "/v2/conversations", key, struct{}{}).refused(t, key, http.StatusBadRequest, "invalid_idempotency_key")
	}
	r := p.request(t.Context(), http.MethodPost, "/v2/conversations", struct{}{})
	r.Header["Idempotency-Key"] = []string{"a", "b"}
	p.send(r).refused(t, "two keys", http.StatusBadRequest, "invalid_idempotency_key")
	// What was refused may be asked for again.
	path := "/v2/conversations/" + p.open() + "/messages"
	p.named(http.MethodPost, path, "m", `{"text":""}`).refused(t, "blank", http.StatusUnprocessableEntity, "invalid_request")
	p.named(http.MethodPost, path, "m", `{"colour":""}`).refused(t, "another", http.StatusUnprocessableEntity, "invalid_request")
}

// An answer that was never stored, because the server died before, comes about
// again: the message is found.
func TestIdempotency_AnswerLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "text \"Once.\"\nfinish stop")
	p := w.runner()
	id := p.open()
	path := "/v2/conversations/" + id + "/messages"
	first := p.named(http.MethodPost, path, "one", map[string]any{"text": "Go."})
	run, _, _ := strings.Cut(strings.Split(first.text, `"run_id":"`)[1], `"`)
	p.await(sent{RunID: run, ConversationID: id}, agent.StatusSucceeded)
	// Another server on the same data has no memory, and is given no answers.
	forgetful, err := api.New(api.Config{
		DB: w.s.DB, Engine: w.s.Engine, Logger: discard, Now: w.s.Clock.Now,
		Delete: func(context.Context, agent.ConversationID, agent.Actor) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.s.Clock.Advance(models.AnswersLast)
	q := *p
	q.serveBy(forgetful)
	if again := q.named(http.MethodPost, path, "one", map[string]any{"text": "Go."}); again.text != first.text || again.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("got %d %s, want %s", again.status, again.text, first.text)
	}
}

func TestLimits_Messages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "gate one\nfinish stop\n---\ngate two\nfinish stop\n---\ngate three\nfinish stop", webtest.API(api.Limits{KeyMessages: 7, ConversationMessages: 3}))
	p := w.runner()
	one, two := p.open(), p.open()
	third := w.runner().open()
	limited := func(got reply) {
		t.Helper()
		got.refused(t, "too many", http.StatusTooManyRequests, "rate_limited")
		if after := got.header.Get("Retry-After"); after != "20" && after != "9" {
			t.Errorf("Retry-After is %q", after)
		}
	}
	for range 3 {
		p.message(one, "Go.")
	}
	before := p.read(one)
	limited(p.named(http.MethodPost, "/v2/conversations/"+one+"/messages", "k", map[string]any{"text": "x"}))
	if after := p.read(one); len(after.Queue) != len(before.Queue) {
		t.Error("what was refused was recorded")
	}
	p.message(two, "Go.")
	p.message(two, "Go.") // the one that was refused did not count
	limited(p.do(http.MethodPost, "/v2/conversations/"+two+"/messages", map[string]any{"text": "x"}))
	limited(p.do(http.MethodPost, "/v2/conversations", struct{}{}))
	w.runner().message(third, "Go.")
	w.s.Clock.Advance(minute)
	if got := p.named(http.MethodPost, "/v2/conversations/"+one+"/messages", "k", map[string]any{"text": "x"}); got.status != http.StatusAccepted {
		t.Errorf("a minute later: got %d %s", got.status, got.text)
	}
	for _, gate := range []string{"one", "two", "three"} {
		w.up.Reached(gate)
	}
}
