package models

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gorm.io/gorm"

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

var fullDisk = flag.String("disk", "", "a directory on a small disk, which TestFullDisk fills; else the number of pages is bounded")

// A disk can be made full.
type disk struct {
	t       *testing.T
	db      *DB
	ballast string // a file that fills a real disk, "" for none
}

// tighten leaves room for some runs and no more.
func (d disk) tighten() {
	d.t.Helper()
	if d.ballast == "" {
		var pages int
		if err := d.db.writer.Raw("PRAGMA page_count").Scan(&pages).Error; err != nil {
			d.t.Fatal(err)
		}
		bound(d.t, d.db, pages+20)
		return
	}
	f, err := os.Create(d.ballast)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	n := int64(0)
	for block := make([]byte, 64<<10); err == nil; n += int64(len(block)) {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		d.t.Fatal(err)
	}
	if err := f.Truncate(n - 1<<20); err != nil {
		d.t.Fatal(err)
	}
}

func (d disk) widen() {
	d.t.Helper()
	if d.ballast == "" {
		bound(d.t, d.db, 1<<20)
	} else if err := os.Remove(d.ballast); err != nil {
		d.t.Fatal(err)
	}
}

// On a full disk new runs are refused, a run whose result can't be written
// loses its worker, and nothing that was written is lost. When there is room
// again, everything goes on; what the lost result was is put to a person.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	c := Config{}
	if *fullDisk != "" {
		c.Dir = filepath.Join(*fullDisk, "data")
	}
	db := openTest(t, c)
	disk := disk{t: t, db: db}
	if *fullDisk != "" {
		disk.ballast = filepath.Join(*fullDisk, "ballast")
	}
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

	disk.tighten()
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

	disk.widen()
	h = newHost(t, db, func(context.Context) (agent.Result, error) { return agent.Result{Text: "Saved."}, nil })
	defer h.stop()
	question := h.await(lost, agent.StatusWaitingInput).Reconcile
	answer := agent.ReconcileAnswered{Interaction: question.Interaction, Answer: agent.ReconcileHappened, By: ann}
	if err := h.Reconcile(t.Context(), lost, answer); err != nil {
		t.Fatal(err)
	}
	h.await(lost, agent.StatusSucceeded)
	ended := 0
	for _, r := range accepted {
		if f := h.state(r).Finished; f != nil {
			// There was room for its end, though not for what came before it.
			if f.Status != agent.StatusFailed || f.Failure == nil || f.Failure.Code != agent.FailFull {
				t.Errorf("a run on the full disk ended with %+v: %+v", f, f.Failure)
			}
			ended++
			continue
		}
		h.await(r, agent.StatusWaitingApproval)
		if err := h.approve(r); err != nil {
			t.Fatal(err)
		}
		h.await(r, agent.StatusSucceeded)
	}
	if saved != 1 {
		t.Errorf("the tool ran %d times", saved)
	}
	t.Logf("%d runs were accepted before the disk was full; %d failed for it, the others went on when there was room", len(accepted), ended)
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

// A job that meets a full disk may undo the work of those it shared a
// transaction with. None of them is told that its work is there.
func TestWriteQueue_FullDisk(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	var pages int
	if err := db.writer.Raw("PRAGMA page_count").Scan(&pages).Error; err != nil {
		t.Fatal(err)
	}
	undone := 0
	for i := range 40 {
		bound(t, db, pages+i%4)
		small, after := fmt.Sprintf("a%02d", i), fmt.Sprintf("b%02d", i)
		large := func(tx *gorm.DB) error {
			for n := range 8 {
				name := fmt.Sprintf("large %d %d", i, n)
				if err := tx.Create(&sessionRow{Token: name, ID: name, Data: make([]byte, 1<<16)}).Error; err != nil {
					return err
				}
			}
			return nil
		}
		release := hold(t, db)
		wait := enqueue(t, db, priorityFacts, put(small), large, put(after))
		release()
		errs := wait()
		bound(t, db, 1<<20)
		there := stored(t, db)
		for j, name := range []string{small, "", after} {
			if full := errors.Is(errs[j], agent.ErrFull); errs[j] != nil && !full || j == 1 && !full {
				t.Errorf("job %d of group %d: got %v, want ErrFull", j, i, errs[j])
			}
			if name != "" && slices.Contains(there, name) != (errs[j] == nil) {
				t.Errorf("job %d of group %d: got %v; its row is there: %v", j, i, errs[j], errs[j] != nil)
			}
		}
		if errs[0] != nil {
			undone++
		}
	}
	t.Logf("in %d of 40 groups the full disk undid the first job too", undone)
}
