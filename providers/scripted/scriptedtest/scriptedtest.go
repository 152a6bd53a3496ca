// Package scriptedtest performs scripts for tests and holds the tests to
// them: an unexpected request, a malformed one, a failed expectation or a
// response that nobody asked for fails the test.
package scriptedtest

import (
	"testing"

	"countersign/providers/scripted"
)

// NewProvider returns a provider that performs the script inside the process.
// When the test ends it reports what went wrong.
func NewProvider(t testing.TB, script string) *scripted.Provider {
	t.Helper()
	provider := scripted.NewProvider(newStage(t, script))
	t.Cleanup(func() { report(t, provider.Stage) })
	return provider
}

func newStage(t testing.TB, script string) *scripted.Stage {
	t.Helper()
	parsed, err := scripted.Parse(script)
	if err != nil {
		t.Fatalf("parse the script: %v", err)
	}
	return scripted.NewStage(parsed)
}

func report(t testing.TB, stage *scripted.Stage) {
	t.Helper()
	for _, problem := range stage.Problems() {
		t.Errorf("scripted: %s", problem)
	}
	if n := stage.Remaining(); n > 0 {
		t.Errorf("scripted: %d responses were never asked for", n)
	}
}
