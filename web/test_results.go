package web

import (
	"slices"
	"sync"

	"countersign/views"
)

// testResults remembers how the last test of each provider went. A restart
// forgets them, as it should: they say how things stood, not how they stand.
type testResults struct {
	mu   sync.Mutex
	last map[string]views.ProviderTest // by the provider's id
}

func newTestResults() *testResults {
	return &testResults{last: make(map[string]views.ProviderTest)}
}

func (t *testResults) put(id string, result views.ProviderTest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	result.Since = result.At
	if before, ok := t.last[id]; ok && !before.OK && !result.OK {
		result.Since = before.Since
	}
	t.last[id] = result
}

// get returns the last result, nil if there is none.
func (t *testResults) get(id string) *views.ProviderTest {
	t.mu.Lock()
	defer t.mu.Unlock()
	result, ok := t.last[id]
	if !ok {
		return nil
	}
	return &result
}

// added takes a model from those that a test has found.
func (t *testResults) added(id, model string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	result := t.last[id]
	result.Offers = slices.DeleteFunc(slices.Clone(result.Offers), func(m string) bool { return m == model })
	if !result.At.IsZero() {
		t.last[id] = result
	}
}

// drop forgets a provider that was changed or removed.
func (t *testResults) drop(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.last, id)
}

// clear forgets every provider.
func (t *testResults) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.last)
}
