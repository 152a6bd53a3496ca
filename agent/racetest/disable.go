package racetest

import (
	"errors"
	"fmt"

	"countersign/agent"
)

// alone gives the round an owner of its own, who can be disabled.
func (r *round) alone() {
	r.ownedBy(agent.Actor{User: agent.UserID(fmt.Sprintf("u-%d", r.number)), Name: "Uma"})
}

// disables bars the owner and then stops what runs for them.
func (r *round) disables() error {
	r.mu.Lock()
	r.barred[r.owner.User] = true
	r.mu.Unlock()
	h, err := r.store.Head(r.t.Context(), r.run.Conversation)
	if errors.Is(err, agent.ErrNotFound) || err == nil && h.Run == nil {
		return nil
	}
	if err != nil {
		return err
	}
	return r.engine.Cancel(r.t.Context(), agent.RunRef{Conversation: r.run.Conversation, Run: h.Run.ID}, bob)
}

// A first message comes before the owner is disabled, and its run is stopped,
// or is refused.
func disableCreate(r *round) string {
	r.alone()
	errs := r.atOnce(r.disables, r.create)
	r.must(errs[0])
	if errs[1] == nil {
		if e := r.over(); e.status != agent.StatusCancelled || e.saved > 0 {
			r.fatalf("%+v", e)
		}
		return "create"
	}
	if _, err := r.store.Head(r.t.Context(), r.run.Conversation); !errors.Is(errs[1], agent.ErrBarred) || !errors.Is(err, agent.ErrNotFound) {
		r.fatalf("%v: the conversation: %v", errs, err)
	}
	return "disable"
}

// So does a message to a conversation that is there; its run may be over by
// then.
func disableSend(r *round) string {
	r.alone()
	r.begin()
	r.must(r.cancels())
	errs := r.atOnce(r.disables, func() error {
		_, err := r.send("second")
		return err
	})
	r.must(errs[0])
	e := r.over()
	if errs[1] == nil && (e.status == agent.StatusCancelled || e.status == agent.StatusSucceeded) {
		return "send"
	}
	if !errors.Is(errs[1], agent.ErrBarred) {
		r.fatalf("%v: %+v", errs, e)
	}
	return "disable"
}

// What an approval allows has run before the owner was disabled, or does not
// run once they are.
func disableApprove(r *round) string {
	r.alone()
	r.begin()
	errs := r.atOnce(r.disables, r.decides(r.owner, agent.VerdictAllow, false))
	r.must(errs[0])
	if !errors.Is(errs[1], agent.ErrBarred) {
		r.onlyLate(errs)
	}
	e := r.over()
	if e.saved > 1 || e.decisions > 1 || errs[1] != nil && e.saved > 0 ||
		e.status != agent.StatusCancelled && (e.status != agent.StatusSucceeded || e.saved != 1) {
		r.fatalf("%v: %+v", errs, e)
	}
	if errs[1] == nil {
		return "approve"
	}
	return "disable"
}
