package connect_test

import (
	"os"
	"testing"

	"countersign/providers"
	"countersign/providers/connect"
)

func answer(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A token goes as such to every API, and nothing else does (contract P15).
func TestOpen_Token(t *testing.T) {
	t.Parallel()
	answers := map[providers.API]string{
		providers.APIChatCompletions: chatAnswer,
		providers.APIAnthropic:       answer(t, "anthropic.sse"),
		providers.APIResponses:       answer(t, "responses.sse"),
	}
	for _, api := range apis {
		header, _, _ := call(t, connect.Config{API: api, BaseURL: "/v1", Key: key("a-token"), Bearer: true}, answers[api])
		if header.Get("Authorization") != "Bearer a-token" || header.Get("X-Api-Key") != "" {
			t.Errorf("%s: sent %q and %q", api, header.Get("Authorization"), header.Get("X-Api-Key"))
		}
	}
}
