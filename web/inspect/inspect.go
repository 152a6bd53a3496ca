// Package inspect asks the webhooks of guardrails.
package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"countersign/agent"
	"countersign/providers/upstream"
)

// maxAnswer is the longest answer of a webhook, in bytes.
const maxAnswer = 64 << 10

// An Inspector asks webhooks over HTTP. It connects to public addresses only,
// unless a webhook may be in a private network, follows no redirect and repeats
// nothing. Its methods are safe for use by multiple goroutines.
type Inspector struct{ public, private *http.Client }

var _ agent.Inspector = (*Inspector)(nil)

// New returns an inspector. The caller closes it.
func New() *Inspector {
	return &Inspector{
		public:  upstream.NewClient(upstream.ClientConfig{}),
		private: upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true}),
	}
}

// Close ends idle connections.
func (i *Inspector) Close() {
	i.public.CloseIdleConnections()
	i.private.CloseIdleConnections()
}

// Inspect posts the inspection as JSON. The answer is 200 with an object whose
// verdict is allow or block; anything else is no verdict.
func (i *Inspector) Inspect(ctx context.Context, w agent.Webhook, in agent.Inspection) (bool, error) {
	body, err := json.Marshal(in)
	if err != nil || len(body) > agent.MaxInspection {
		return false, fmt.Errorf("the candidate has more than %d MiB", agent.MaxInspection>>20)
	}
	ctx, cancel := context.WithTimeout(ctx, w.Limit())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil || upstream.ValidateBaseURL(w.URL) != nil {
		return false, errors.New("the address can't be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.GetBody = nil // what was sent once is not sent again
	client := i.public
	if w.AllowPrivateNetwork {
		client = i.private
	}
	response, err := client.Do(request)
	if err != nil {
		return false, unreachable(ctx, w)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return false, fmt.Errorf("the answer has the status %d", response.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return false, unreachable(ctx, w)
	}
	var said struct {
		Verdict string `json:"verdict"`
	}
	if len(answer) > maxAnswer || json.Unmarshal(answer, &said) != nil || said.Verdict != "allow" && said.Verdict != "block" {
		return false, errors.New("the answer is no verdict")
	}
	return said.Verdict == "allow", nil
}

// unreachable says that no answer came. What the client says of it may quote
// the address.
func unreachable(ctx context.Context, w agent.Webhook) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer came within %s", w.Limit())
	}
	return errors.New("the connection failed, or the address is not allowed")
}
