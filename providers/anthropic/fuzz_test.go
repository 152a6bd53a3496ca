package anthropic_test

import (
	"testing"

	"countersign/providers"
	"countersign/providers/anthropic"
	"countersign/providers/providertest"
)

func FuzzStream(f *testing.F) {
	providertest.Fuzz(f, "testdata/samples", func(t testing.TB, body []byte) providers.Provider {
		return newClient(t, anthropic.Config{BaseURL: "http://api.example", HTTPClient: providertest.Canned(body)})
	})
}
