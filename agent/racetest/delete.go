package racetest

import (
	"errors"

	"countersign/agent"
)

func (r *round) deletes() error {
	return r.store.(Deleter).Delete(r.t.Context(), r.run.Conversation, ann.User)
}

// gone reports whether the conversation is deleted, and checks what is true of
// it otherwise.
func (r *round) gone(deleted error) bool {
	if deleted != nil {
		if !errors.Is(deleted, agent.ErrConflict) {
			r.fatalf("delete: got %v, want ErrConflict", deleted)
		}
		if e := r.over(); e.status == agent.StatusFailed {
			r.fatalf("%+v", e)
		}
		return false
	}
	if _, err := r.store.Head(r.t.Context(), r.run.Conversation); !errors.Is(err, agent.ErrNotFound) {
		r.fatalf("the deleted conversation: got %v, want ErrNotFound", err)
	}
	return true
}

// whether says who came first between a deletion and something else.
func whether(gone bool, other string) string {
	if gone {
		return "delete at the end"
	}
	return other
}

// An open card keeps a conversation from being deleted: it is decided, and
// what was allowed happens once.
func deleteApprove(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, r.decides(ann, agent.VerdictAllow, false))
	r.must(errs[1])
	gone := r.gone(errs[0])
	if n := r.saved(); n != 1 {
		r.fatalf("%v: ran %d times", errs, n)
	}
	return whether(gone, "approve")
}

func deleteAnswer(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, r.answers("District 1"))
	r.must(errs[1])
	return whether(r.gone(errs[0]), "answer")
}

// Stop comes before or between; it never fails for what it did itself.
func deleteCancel(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, r.cancels)
	r.must(errs[1])
	gone := r.gone(errs[0])
	if n := r.saved(); n != 0 {
		r.fatalf("%v: ran %d times", errs, n)
	}
	return whether(gone, "cancel")
}

// A message comes before the deletion, or finds no conversation any more.
func deleteSend(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, func() error {
		_, err := r.send("second")
		return err
	})
	gone := r.gone(errs[0])
	if errs[1] != nil && (!gone || !errors.Is(errs[1], agent.ErrNotFound)) {
		r.fatalf("%v, deleted %v", errs, gone)
	}
	if gone && errs[1] != nil {
		return "delete"
	}
	return whether(gone, "send")
}

func deleteRename(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, func() error {
		return r.engine.Rename(r.t.Context(), r.run.Conversation, "Another")
	})
	if gone := r.gone(errs[0]); !gone || errs[1] != nil && !errors.Is(errs[1], agent.ErrNotFound) {
		r.fatalf("%v, deleted %v", errs, gone)
	}
	return first(errs, "delete", "rename")
}

func deleteTwice(r *round) string {
	r.begin()
	errs := r.atOnce(r.deletes, r.deletes)
	if wins(errs) != 1 || !errors.Is(errors.Join(errs...), agent.ErrNotFound) || !r.gone(nil) {
		r.fatalf("%v", errs)
	}
	return first(errs, "one", "another")
}
