package racetest

import (
	"errors"

	"countersign/agent"
)

func (r *round) reruns(text string) func() error {
	first := r.run
	return func() error {
		_, err := r.engine.Rerun(r.t.Context(), first, text, r.owner)
		return err
	}
}

func (r *round) onlyRefused(errs []error) {
	r.t.Helper()
	for _, err := range errs {
		var refused *agent.InputError
		if err != nil && !errors.As(err, &refused) {
			r.t.Errorf("got %v, want an InputError", err)
		}
	}
}

func (r *round) rewinds() (n int) {
	for _, rec := range r.records() {
		if _, ok := rec.Event.(agent.Rewound); ok {
			n++
		}
	}
	return n
}

// Two tabs send a message again with the same words, a third one with others:
// the words that come first stand, and one run has them.
func rerunTwice(r *round) string {
	r.begin()
	errs := r.atOnce(r.reruns("These."), r.reruns("These."), r.reruns("Those."))
	r.onlyRefused(errs)
	these, those := wins(errs[:2]), wins(errs[2:])
	if e := r.over(); these+2*those != 2 || r.rewinds() != 1 || len(e.messages) != 2 || e.status != agent.StatusSucceeded {
		r.fatalf("%v: %+v, rewound %d times", errs, e, r.rewinds())
	}
	return first(errs[1:], "these", "those")
}

// A message at the same moment is not lost, whichever comes first. Sending
// again is refused while its run is under way, and rewinds it otherwise.
func rerunSend(r *round) string {
	r.begin()
	send := func() error {
		_, err := r.send("second")
		return err
	}
	errs := r.atOnce(r.reruns("These."), send)
	r.onlyRefused(errs)
	if e := r.over(); errs[1] != nil || r.rewinds() != wins(errs[:1]) || e.messages["second"] != 1 || e.status != agent.StatusSucceeded {
		r.fatalf("%v: %+v, rewound %d times", errs, e, r.rewinds())
	}
	return first(errs, "rerun", "send")
}
