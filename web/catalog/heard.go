package catalog

import (
	"context"
	"iter"

	"countersign/providers"
)

// Hear has a function called with how each attempt of a run ended: nil for an
// answer, the error otherwise. An attempt that its caller ended says nothing
// and is not told. The function must be safe for use by multiple goroutines.
// Hear is called once, before the catalog is in use.
func (c *Catalog) Hear(told func(id, name string, err error)) { c.told = told }

// heard tells how the attempts of a provider end.
type heard struct {
	providers.Provider
	told func(err error)
}

// Stream implements [providers.Provider].
func (h heard) Stream(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
	return func(yield func(providers.Event, error) bool) {
		for event, err := range h.Provider.Stream(ctx, req) {
			_, finished := event.(providers.Finish)
			if (err != nil || finished) && ctx.Err() == nil {
				h.told(err)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}
