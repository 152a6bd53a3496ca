package agent

import "regexp"

// keyText matches what the keys of well-known services look like. It is a net
// for accidents, not a secret scanner (contract P6, V21).
var keyText = regexp.MustCompile(`\b(?:` +
	`sk-[A-Za-z0-9_-]{16,}|` + // OpenAI, Anthropic, OpenRouter, DeepSeek
	`AIza[A-Za-z0-9_-]{30,}|` + // Google
	`gsk_[A-Za-z0-9]{20,}|` + // Groq
	`xai-[A-Za-z0-9]{20,}|` + // xAI
	`hf_[A-Za-z0-9]{20,}|` + // Hugging Face
	`gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|` + // GitHub
	`glpat-[A-Za-z0-9_-]{16,}|` + // GitLab
	`xox[abprs]-[A-Za-z0-9-]{10,}|` + // Slack
	`(?:AKIA|ASIA)[A-Z0-9]{16}|` + // AWS
	`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.` + // JSON web tokens
	`)|-----BEGIN [A-Z ]*PRIVATE KEY-----|(?i:bearer\s+[A-Za-z0-9._~+/-]{20,})`)

// LooksLikeKey reports whether a text seems to hold a key.
func LooksLikeKey(text string) bool { return keyText.MatchString(text) }
