package journaltest

import (
	"testing"

	"countersign/agent"
)

// A Store is what the suite judges.
type Store interface {
	agent.Journal
	agent.Index
}

// An Open returns an empty store, and a function that closes it and opens it
// again as a server that starts anew does.
type Open func(t *testing.T) (s Store, reopen func() Store)

// Run judges a store.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Open){} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}
