package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/agent"
)

// bound keeps the database from growing beyond a number of pages, as a full
// disk does.
func bound(t *testing.T, db *DB, pages int) {
	t.Helper()
	if err := db.writer.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages)).Error; err != nil {
		t.Fatal(err)
	}
}

// On a full disk new runs are refused, a run whose result can't be written
// loses its worker, and nothing that was written is lost. When there is room
// again, everything goes on; what the lost result was is put to a person.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	reached, release := make(chan struct{}), make(chan struct{})
	saved := 0
	h := newHost(t, db, func(context.Context) (agent.Result, error) {
		saved++
		close(reached)
		<-release
		return agent.Result{Text: strings.Repeat("long ", 40_000)}, nil
	})
	lost, err := h.create(0)
	if err != nil {
		t.Fatal(err)
	}
	h.await(lost, agent.StatusWaitingApproval)
	if err := h.approve(lost); err != nil {
		t.Fatal(err)
	}
	<-reached

	var pages int
	if err := db.writer.Raw("PRAGMA page_count").Scan(&pages).Error; err != nil {
		t.Fatal(err)
	}
	bound(t, db, pages+20)
	var accepted []agent.RunRef
	for n := 1; err == nil; n++ {
		var r agent.RunRef
		if r, err = h.create(n); err == nil {
			accepted = append(accepted, r)
		}
	}
	if !errors.Is(err, agent.ErrFull) {
		t.Fatalf("got %v, want ErrFull", err)
	}
	if len(accepted) == 0 {
		t.Error("nothing was accepted before the disk was full")
	}
	close(release)
	h.stop()
	if s := h.state(lost); s.Status != agent.StatusRunning || len(s.OpenCalls()) != 1 || !s.OpenCalls()[0].Started {
		t.Errorf("the run that lost its worker: %+v", s)
	}
	var intact string
	if err := db.writer.Raw("PRAGMA integrity_check").Scan(&intact).Error; err != nil || intact != "ok" {
		t.Errorf("the database: %s, %v", intact, err)
	}

	bound(t, db, 1<<20)
	h = newHost(t, db, func(context.Context) (agent.Result, error) { return agent.Result{Text: "Saved."}, nil })
	defer h.stop()
	question := h.await(lost, agent.StatusWaitingInput).Reconcile
	answer := agent.ReconcileAnswered{Interaction: question.Interaction, Answer: agent.ReconcileHappened, By: ann}
	if err := h.Reconcile(t.Context(), lost, answer); err != nil {
		t.Fatal(err)
	}
	h.await(lost, agent.StatusSucceeded)
	for _, r := range accepted {
		h.await(r, agent.StatusWaitingApproval)
		if err := h.approve(r); err != nil {
			t.Fatal(err)
		}
		h.await(r, agent.StatusSucceeded)
	}
	if saved != 1 {
		t.Errorf("the tool ran %d times", saved)
	}
	t.Logf("%d runs were accepted before the disk was full, and all of them ended", len(accepted))
}

func TestIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "write", Path: "file", Err: syscall.ENOSPC}, true},
		{&os.PathError{Op: "write", Path: "file", Err: syscall.EIO}, false},
		{errors.New("the disk is full"), false},
		{nil, false},
	} {
		if got := isFull(c.err); got != c.want {
			t.Errorf("%v: got %v", c.err, got)
		}
	}
}

// Nobody can sign in on a full disk, but they are told why.
func TestSessions_FullDisk(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	bound(t, db, 1) // no page more than there are
	now := time.Now()
	err := db.Sessions().Save(t.Context(), "token", Session{ID: "s_1", User: "u_1", CreatedAt: now, UsedAt: now}, make([]byte, 1<<16), now.Add(time.Hour))
	if !errors.Is(err, agent.ErrFull) {
		t.Errorf("got %v, want ErrFull", err)
	}
}
