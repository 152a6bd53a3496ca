package providers

import (
	"fmt"
	"time"
)

// A Category is a provider-neutral class of failure (contract D2 and the
// table of categories in the provider contracts). The values are stored and
// shown; they never change.
type Category string

const (
	CategoryAuthentication Category = "authentication"
	CategoryPermission     Category = "permission"
	CategoryRateLimit      Category = "rate_limit"
	CategoryOverloaded     Category = "overloaded"
	CategoryQuota          Category = "quota"
	CategoryContextLength  Category = "context_length"
	CategoryInvalidRequest Category = "invalid_request"
	CategoryModelNotFound  Category = "model_not_found"
	CategoryNotFound       Category = "not_found"
	CategoryContentFilter  Category = "content_filter"
	CategoryTimeout        Category = "timeout"
	CategoryNetwork        Category = "network"
	CategoryServer         Category = "server"
	CategoryParser         Category = "parser"
	// CategoryBlocked is ours: the address is one that Countersign does not
	// connect to.
	CategoryBlocked Category = "blocked"
	// CategoryConfiguration is ours: the connection can't be used as it is
	// configured, for example because its key is missing.
	CategoryConfiguration Category = "configuration"
)

// An Error describes a failed attempt. It holds only what a diagnostic may
// contain (contract D2, D5): no body, no message of the upstream, no prompt,
// no key. It is safe to store, log and show.
type Error struct {
	Category   Category `json:"category"`
	Retryable  bool     `json:"retryable"`
	HTTPStatus int      `json:"http_status,omitempty"` // 0 when there was no response
	API        API      `json:"api,omitempty"`
	RequestID  string   `json:"request_id,omitempty"` // cleaned
	// Code is a fixed code of ours or an allow-listed one of the upstream,
	// "" when there is none.
	Code string `json:"code,omitempty"`
	// RetryAfter is the delay the upstream asked for, 0 when it named none.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

// Error lists the safe fields; it never quotes the upstream.
func (e *Error) Error() string {
	s := "provider error: " + string(e.Category)
	if e.Code != "" {
		s += " (" + e.Code + ")"
	}
	if e.HTTPStatus != 0 {
		s += fmt.Sprintf(", HTTP %d", e.HTTPStatus)
	}
	if e.RequestID != "" {
		s += ", request " + e.RequestID
	}
	return s
}
