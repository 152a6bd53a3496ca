package anthropic_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"countersign/providers/anthropic"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

func newClient(t testing.TB, c anthropic.Config) *anthropic.Client {
	t.Helper()
	if c.HTTPClient == nil {
		c.HTTPClient = upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
		t.Cleanup(c.HTTPClient.CloseIdleConnections)
	}
	client, err := anthropic.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// canned returns a client that gets these events whatever it asks.
func canned(t testing.TB, c anthropic.Config, events ...string) *anthropic.Client {
	t.Helper()
	c.BaseURL, c.HTTPClient = "http://api.example", providertest.Canned(body(events...))
	return newClient(t, c)
}

// play performs one attempt against events.
func play(t testing.TB, events ...string) providertest.Outcome {
	t.Helper()
	return providertest.Stream(t.Context(), t, canned(t, anthropic.Config{}, events...), providertest.NewRequest(true, "read", "write"))
}

// body writes the data of events as a stream.
func body(events ...string) []byte {
	var b strings.Builder
	for _, data := range events {
		if rest, named := strings.CutPrefix(data, `{"type":"`); named {
			kind, _, _ := strings.Cut(rest, `"`)
			b.WriteString("event: " + kind + "\n")
		}
		b.WriteString("data: " + data + "\n\n")
	}
	return []byte(b.String())
}

// The events of an answer.
const (
	start = `{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func ending(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":5}}`
}

func begin(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func piece(index int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta)
}

func end(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func textBlock(index int, text string) []string {
	return []string{begin(index, `{"type":"text","text":""}`), piece(index, `{"type":"text_delta","text":"`+text+`"}`), end(index)}
}

func callBlock(index int, id, name, input string) []string {
	return []string{
		begin(index, `{"type":"tool_use","id":"`+id+`","name":"`+name+`","input":{}}`),
		piece(index, `{"type":"input_json_delta","partial_json":`+fmt.Sprintf("%q", input)+`}`), end(index),
	}
}

// answer returns a whole answer of these blocks.
func answer(reason string, blocks ...[]string) []string {
	events := []string{start}
	for _, b := range blocks {
		events = append(events, b...)
	}
	return append(events, ending(reason), stop)
}

// closing is an answer that ends a conversation.
var closing = providertest.Events(body(answer("end_turn", textBlock(0, "ok"))...))

// rerouted returns a client that reaches a server under any address.
func rerouted(t testing.TB, url string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(url, "http://"))
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
