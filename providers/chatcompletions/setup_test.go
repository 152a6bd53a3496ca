package chatcompletions_test

import (
	"testing"

	"countersign/providers/chatcompletions"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func newClient(t testing.TB, c chatcompletions.Config) *chatcompletions.Client {
	t.Helper()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
		t.Cleanup(c.HTTPClient.CloseIdleConnections)
	}
	client, err := chatcompletions.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// closing is an answer that ends a conversation.
var closing = providertest.Events([]byte("data: " + chunk(`{"content":"ok"}`, "") + "\n\ndata: " + chunk(`{}`, "stop") + "\n\n"))
