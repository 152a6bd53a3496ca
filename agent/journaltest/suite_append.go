package journaltest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"countersign/agent"
)

func appendDense(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	startRun(t, s, "c_1", "r_1")
	finish(t, s, "c_1", "r_1")
	for i, r := range read(t, s, "c_1", 0) {
		if r.Seq != agent.Seq(i+1) || r.Conversation != "c_1" {
			t.Errorf("record %d is %s/%d", i, r.Conversation, r.Seq)
		}
	}
}

func appendAllOrNone(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	before := read(t, s, "c_1", 0)
	b := batch("c_1", 1, t0, "r_1", agent.UserMessage{Message: "m_1"}, unencodable{})
	if _, err := s.Append(t.Context(), b); err == nil {
		t.Error("a batch with an event that can't be encoded was accepted")
	}
	if _, err := s.Append(t.Context(), batch("c_1", 1, t0, "")); err == nil {
		t.Error("a batch without entries was accepted")
	}
	equal(t, "records after refused appends", before, read(t, s, "c_1", 0))
	appendAfter(t, s, "c_1", 1, t0, "", agent.ConversationTitled{Title: "still at 1"})
}

type unencodable struct{ F func() }

func (unencodable) Kind() agent.Kind { return "user_message" }

func appendConflict(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	appendAfter(t, s, "c_1", 1, t0, "", agent.ConversationTitled{Title: "first"})
	before := read(t, s, "c_1", 0)
	for _, after := range []agent.Seq{1, 3, 0} {
		b := batch("c_1", after, t0, "", agent.ConversationTitled{Title: "late"})
		if after == 0 {
			b.Entries[0].Event = created
		}
		b.Outputs = []agent.Output{{Run: "r_1", Attempt: "a_1"}}
		if _, err := s.Append(t.Context(), b); !errors.Is(err, agent.ErrConflict) {
			t.Errorf("append after %d: got %v, want ErrConflict", after, err)
		}
	}
	_, err := s.Append(t.Context(), batch("c_none", 7, t0, "", agent.ConversationTitled{}))
	if !errors.Is(err, agent.ErrConflict) {
		t.Errorf("append after 7 of nothing: got %v, want ErrConflict", err)
	}
	equal(t, "records", before, read(t, s, "c_1", 0))
}

func appendOneWinner(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	const rivals = 8
	errs := make([]error, rivals)
	var wg sync.WaitGroup
	for i := range rivals {
		wg.Go(func() {
			b := batch("c_1", 1, t0, "", agent.ConversationTitled{Title: fmt.Sprint(i)})
			_, errs[i] = s.Append(t.Context(), b)
		})
	}
	wg.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("%d and %d both won", winner, i)
		case !errors.Is(err, agent.ErrConflict):
			t.Errorf("rival %d: got %v, want ErrConflict", i, err)
		}
	}
	h, err := s.Head(t.Context(), "c_1")
	if err != nil || h.Seq != 2 || h.Title != fmt.Sprint(winner) {
		t.Errorf("head: seq %d, title %q, %v; the winner was %d", h.Seq, h.Title, err, winner)
	}
}

func appendManyConversations(t *testing.T, open Open) {
	s, _ := open(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			id := agent.ConversationID(fmt.Sprintf("c_%d", i))
			if _, err := s.Append(t.Context(), batch(id, 0, t0, "", created)); err != nil {
				t.Errorf("create %s: %v", id, err)
			}
			for seq := range agent.Seq(20) {
				title := agent.ConversationTitled{Title: fmt.Sprintf("%s at %d", id, seq)}
				if _, err := s.Append(t.Context(), batch(id, seq+1, t0, "", title)); err != nil {
					t.Errorf("append to %s: %v", id, err)
				}
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		id := agent.ConversationID(fmt.Sprintf("c_%d", i))
		records := read(t, s, id, 0)
		if len(records) != 21 {
			t.Fatalf("%s has %d records, want 21", id, len(records))
		}
		for seq, r := range records[1:] {
			want := fmt.Sprintf("%s at %d", id, seq)
			if got := r.Event.(agent.ConversationTitled).Title; got != want {
				t.Errorf("got title %q, want %q", got, want)
			}
		}
	}
}

func appendCreation(t *testing.T, open Open) {
	s, _ := open(t)
	_, err := s.Append(t.Context(), batch("c_1", 0, t0, "", agent.ConversationTitled{Title: "no"}))
	if !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("append to nothing: got %v, want ErrNotFound", err)
	}
	if _, err := s.Append(t.Context(), batch("c_1", 0, t0, "", created, created)); err == nil {
		t.Error("a conversation was created twice in one batch")
	}
	create(t, s, "c_1")
	if _, err := s.Append(t.Context(), batch("c_1", 1, t0, "", created)); err == nil {
		t.Error("a conversation was created again")
	}
	if got := read(t, s, "c_1", 0); len(got) != 1 {
		t.Errorf("%d records, want 1", len(got))
	}
}

func appendEndedContext(t *testing.T, open Open) {
	s, _ := open(t)
	create(t, s, "c_1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Append(ctx, batch("c_1", 1, t0, "", agent.ConversationTitled{Title: "late"}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if got := read(t, s, "c_1", 0); len(got) != 1 {
		t.Errorf("%d records, want 1", len(got))
	}
}
