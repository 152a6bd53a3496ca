package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

// A fault keeps all that a diagnostic may hold (contract D2), and nothing else.
func TestFaultHoldsTheDiagnostic(t *testing.T) {
	t.Parallel()
	got := faultOf(fmt.Errorf("probe: %w", &providers.Error{
		Category: providers.CategoryRateLimit, Retryable: true, HTTPStatus: 429, API: providers.APIResponses,
		RequestID: "req_1", Code: "rate_limit_exceeded", RetryAfter: 1500 * time.Millisecond,
	}), "Workshop")
	want := agent.ProviderError{
		Category: "rate_limit", Retryable: true, HTTPStatus: 429, API: "responses", RequestID: "req_1",
		Code: "rate_limit_exceeded", RetryAfterMS: 1500,
	}
	if diff := cmp.Diff(want, got.Error); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Title != "Workshop limits how fast requests may come" {
		t.Errorf("the title is %q", got.Title)
	}
}

func TestFaultsThatAreNoProviderErrors(t *testing.T) {
	t.Parallel()
	late := faultOf(fmt.Errorf("probe: %w", context.DeadlineExceeded), "Workshop")
	if late.Error.Category != providers.CategoryTimeout {
		t.Errorf("the time limit: got %q", late.Title)
	}
	odd := faultOf(errors.New("canary"), "Workshop")
	if odd.Error.Category != providers.CategoryServer || strings.Contains(fmt.Sprint(odd), "canary") {
		t.Errorf("an unknown error: got %v", odd)
	}
}
