package views

import (
	"strings"
	"testing"

	"countersign/agent"
)

// Whatever the reviewer made of a call is said in words, and where it gave no
// explanation, that is said (contract V20).
func TestReviewerWords(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, d := range []agent.ApprovalDecision{
		{Verdict: agent.VerdictAllow}, {Verdict: agent.VerdictDeny}, {Verdict: agent.VerdictUnsure},
		{Verdict: agent.VerdictUnsure, Fault: agent.ReviewTimeout}, {Verdict: agent.VerdictUnsure, Fault: agent.ReviewFailed},
		{Verdict: agent.VerdictUnsure, Fault: agent.ReviewMalformed},
	} {
		words := reviewWords(&d)
		if said[words] || !strings.HasPrefix(words, "The reviewer model ") {
			t.Errorf("%+v: %q", d, words)
		}
		said[words] = true
		var b strings.Builder
		if err := reviewReason(&d).Render(t.Context(), &b); err != nil || strings.Contains(b.String(), "It gave no explanation.") != (d.Fault == "") {
			t.Errorf("%+v: %q, %v", d, b.String(), err)
		}
	}
	var b strings.Builder
	d := agent.ApprovalDecision{Verdict: agent.VerdictDeny, Reason: "<b>\u202eNo"}
	if err := reviewReason(&d).Render(t.Context(), &b); err != nil || !strings.Contains(b.String(), "“&lt;b&gt;") || !strings.Contains(b.String(), "U+202E") {
		t.Errorf("got %q, %v", b.String(), err)
	}
}
