// Package check judges what an admin sets, for the forms and for the
// provisioning file alike, as far as models does not. A problem is one
// sentence for the admin; "" means that there is none.
package check

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"countersign/providers/upstream"
)

const (
	// MaxOutputTokens is the largest limit on output tokens.
	MaxOutputTokens = 1 << 20
	// MinWait and MaxWait are the shortest and the longest time that a card
	// may wait.
	MinWait = time.Second
	MaxWait = 7 * 24 * time.Hour
)

// baseURLReasons are the words for a base URL that can't be used.
var baseURLReasons = map[upstream.BaseURLReason]string{
	upstream.BaseURLMalformed: "Enter a whole address, such as https://api.example/v1.",
	upstream.BaseURLScheme:    "The address must start with http:// or https://.",
	upstream.BaseURLUserinfo:  "Leave user and password out of the address. A key goes into its own field.",
	upstream.BaseURLQuery:     "Leave out the question mark and what follows it.",
	upstream.BaseURLFragment:  "Leave out the # and what follows it.",
	upstream.BaseURLBlocked:   "Countersign never connects to this address.",
}

// BaseURL judges the base URL of a model API.
func BaseURL(raw string) string {
	var refused *upstream.BaseURLError
	if err := upstream.ValidateBaseURL(raw); errors.As(err, &refused) {
		return baseURLReasons[refused.Reason]
	}
	return ""
}

// Webhook judges the address of a webhook.
func Webhook(raw string, private bool) string {
	if problem := BaseURL(raw); problem != "" {
		return strings.ReplaceAll(problem, "https://api.example/v1", "https://desk.example/judge")
	}
	if NamesPrivate(raw) && !private {
		return "This address is on this machine or in a private network. Allow that, if it is meant."
	}
	return ""
}

// NamesPrivate reports whether an address can be seen to be on this machine or
// in a private network. Where a name leads is judged at each connection.
func NamesPrivate(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && !upstream.AddressAllowed(addr, false)
}
