package agent_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/agent"
	"countersign/providers"
)

// The request for a summary has no tools and no thinking in it, and bounds the
// answer (contract R11). What is private of it goes to no other request.
func TestSummaryRequest(t *testing.T) {
	t.Parallel()
	var requests []providers.Request
	replay := &providers.Replay{Binding: "b", State: []byte(`{}`)}
	_, outputs := answer(t, streamFunc(func(ctx context.Context, req providers.Request) iter.Seq2[providers.Event, error] {
		requests = append(requests, req)
		if !req.OmitThinking {
			call := providers.ToolCall{ID: "call_1", Name: "none", Arguments: fmt.Sprint(len(requests)), Executable: true}
			return yields(providers.Finish{Reason: providers.FinishToolCalls, Calls: []providers.ToolCall{call}, Replay: replay})(ctx, req)
		}
		return yields(providers.Finish{Reason: providers.FinishStop, Text: "So far.", Replay: replay})(ctx, req)
	}))
	for i, req := range requests {
		last := i == len(requests)-1
		if req.OmitThinking != last || (req.MaxOutputTokens == 512) != last || last && (len(req.Tools) > 0 || req.Reasoning) {
			t.Errorf("request %d of %d: %+v", i+1, len(requests), req)
		}
	}
	for i, o := range outputs {
		if last := i == len(outputs)-1; (o.Replay == nil) != last {
			t.Errorf("output %d of %d keeps %v", i+1, len(outputs), o.Replay)
		}
	}
	if len(requests) != 11 {
		t.Errorf("got %d requests, want 10 and one for the summary", len(requests))
	}
}

// An attempt that fails has cost what it said by then.
func TestFailedAttemptIsPaid(t *testing.T) {
	t.Parallel()
	twelve := int64(12)
	used := providers.Usage{InputTotal: &twelve}
	records, _ := answer(t, streamFunc(func(context.Context, providers.Request) iter.Seq2[providers.Event, error] {
		return func(yield func(providers.Event, error) bool) {
			_ = yield(providers.UsageUpdate{Usage: used}, nil) && yield(nil, &providers.Error{Category: providers.CategoryContentFilter})
		}
	}))
	var got []agent.ModelUsage
	for _, r := range records {
		if u, ok := r.Event.(agent.ModelUsage); ok {
			got = append(got, u)
		}
	}
	if len(got) != 1 || cmp.Diff(used, got[0].Usage) != "" {
		t.Errorf("got %+v, want %+v", got, used)
	}
}
