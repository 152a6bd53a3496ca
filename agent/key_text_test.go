package agent_test

import (
	"strings"
	"testing"

	"countersign/agent"
)

func TestLooksLikeKey(t *testing.T) {
	t.Parallel()
	x := strings.Repeat("a1B2", 12)
	for _, text := range []string{
		"Use sk-" + x, "sk-ant-api03-" + x, "sk-or-v1-" + x, "AIza" + x, "gsk_" + x, "xai-" + x, "hf_" + x, "ghp_" + x, "github_pat_" + x,
		"glpat-" + x, "xoxb-1234567890-abc", "AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig",
		"-----BEGIN RSA PRIVATE KEY-----", "Authorization: Bearer " + x,
	} {
		if !agent.LooksLikeKey(text) {
			t.Errorf("%.20q… passes", text)
		}
	}
	for _, text := range []string{
		"", "Never show a key such as sk-… to anybody.", "Ask the bearer of the letter.", "The task-force meets on Monday, risk-free.",
		"AKIA is a prefix.", "https://example.com/a/b?c=d", "Answer in British English.", "Bearer tokens are short-lived.",
	} {
		if agent.LooksLikeKey(text) {
			t.Errorf("%q is refused", text)
		}
	}
}
