package upstream

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// A BaseURLReason says what is wrong with a base URL. The values are stable.
type BaseURLReason string

const (
	BaseURLMalformed BaseURLReason = "malformed" // no absolute URL, or too long
	BaseURLScheme    BaseURLReason = "scheme"    // neither http nor https
	BaseURLUserinfo  BaseURLReason = "userinfo"  // holds a user or a password
	BaseURLQuery     BaseURLReason = "query"     // holds a query
	BaseURLFragment  BaseURLReason = "fragment"  // holds a fragment
	BaseURLBlocked   BaseURLReason = "blocked"   // names an address that is never connected to
)

// A BaseURLError reports a base URL that can't be used. It does not quote it.
type BaseURLError struct{ Reason BaseURLReason }

func (e *BaseURLError) Error() string { return "base URL refused: " + string(e.Reason) }

const maxBaseURL = 2048

// metadataHosts are the names of cloud metadata services.
var metadataHosts = map[string]bool{
	"metadata": true, "metadata.google.internal": true, "metadata.goog": true, "metadata.azure.internal": true,
	"instance-data": true, "instance-data.ec2.internal": true,
}

// ValidateBaseURL checks what a person entered as the base URL of a model API
// and returns a [*BaseURLError] if it is refused. Names are not resolved:
// where a name leads is checked at each connection. Loopback and private
// addresses pass here, because whether they are allowed is another setting.
func ValidateBaseURL(raw string) error {
	if reason := judgeBaseURL(raw); reason != "" {
		return &BaseURLError{Reason: reason}
	}
	return nil
}

func judgeBaseURL(raw string) BaseURLReason {
	if len(raw) > maxBaseURL {
		return BaseURLMalformed
	}
	u, err := url.Parse(raw)
	if err != nil {
		return BaseURLMalformed
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		if u.Scheme == "" {
			return BaseURLMalformed
		}
		return BaseURLScheme
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return BaseURLMalformed
		}
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	switch {
	case u.User != nil:
		return BaseURLUserinfo
	case u.RawQuery != "" || u.ForceQuery:
		return BaseURLQuery
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return BaseURLFragment
	case host == "" || u.Opaque != "":
		return BaseURLMalformed
	case metadataHosts[host]:
		return BaseURLBlocked
	}
	if addr, err := netip.ParseAddr(host); err == nil && !AddressAllowed(addr, true) {
		return BaseURLBlocked
	}
	return ""
}
