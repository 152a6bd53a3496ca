package agent_test

import (
	"testing"
	"testing/synctest"

	"countersign/agent/agenttest"
	"countersign/providers"
)

// A request to a reviewer has no tools and no thinking in it, and bounds the
// answer (contract R13). What it says is in no request to the model but where a
// call was denied.
func TestReviewRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reviews := 0
		for i, req := range agenttest.Play(t, scenarios(t)["reviewer"]).Requests {
			review := req.Model == "judge"
			if review {
				reviews++
			}
			if req.OmitThinking != review || (req.MaxOutputTokens == 1024) != review || (len(req.Tools) == 0) != review || req.Reasoning {
				t.Errorf("request %d: %+v", i+1, req)
			}
			if _, ok := req.Messages[0].(providers.UserMessage); review && (!ok || len(req.Messages) != 1) {
				t.Errorf("request %d holds %+v", i+1, req.Messages)
			}
		}
		if reviews != 3 {
			t.Errorf("got %d reviews, want 3", reviews)
		}
	})
}
