package chatcompletions_test

import (
	"testing"

	"countersign/providers"
	"countersign/providers/providertest"
)

func FuzzStream(f *testing.F) {
	providertest.Fuzz(f, "testdata/samples", func(t testing.TB, body []byte) providers.Provider { return cannedClient(t, body) })
}
