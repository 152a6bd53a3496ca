package upstream_test

import (
	"errors"
	"net/netip"
	"testing"

	"countersign/providers/upstream"
)

func TestAddressAllowed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ public, private bool }{
		"93.184.216.34":          {true, true},
		"2606:2800:220:1::1":     {true, true},
		"127.0.0.1":              {false, true},
		"::1":                    {false, true},
		"::ffff:127.0.0.1":       {false, true},
		"10.1.2.3":               {false, true},
		"172.31.0.1":             {false, true},
		"172.32.0.1":             {true, true},
		"192.168.1.1":            {false, true},
		"100.64.0.1":             {false, true},
		"fd12::1":                {false, true},
		"64:ff9b::a00:1":         {false, true},
		"169.254.169.254":        {false, false},
		"::ffff:169.254.169.254": {false, false},
		"64:ff9b::a9fe:a9fe":     {false, false},
		"2002:a9fe:a9fe::":       {false, false},
		"::169.254.169.254":      {false, false},
		"fe80::1%eth0":           {false, false},
		"fd00:ec2::254":          {false, false},
		"100.100.100.200":        {false, false},
		"168.63.129.16":          {false, false},
		"0.0.0.0":                {false, false},
		"0.1.2.3":                {false, false},
		"::":                     {false, false},
		"224.0.0.1":              {false, false},
		"ff02::1":                {false, false},
		"255.255.255.255":        {false, false},
	}
	for s, want := range tests {
		addr := netip.MustParseAddr(s)
		if got := upstream.AddressAllowed(addr, false); got != want.public {
			t.Errorf("%s: got %v, want %v", s, got, want.public)
		}
		if got := upstream.AddressAllowed(addr, true); got != want.private {
			t.Errorf("%s with private networks: got %v, want %v", s, got, want.private)
		}
	}
	if upstream.AddressAllowed(netip.Addr{}, true) {
		t.Error("the invalid address is allowed")
	}
}

func TestValidateBaseURL(t *testing.T) {
	t.Parallel()
	tests := map[string]upstream.BaseURLReason{
		"https://api.example/v1":               "",
		"https://api.example:8443":             "",
		"http://[::1]:8080/v1":                 "",
		"http://192.168.1.2/v1/":               "",
		"":                                     upstream.BaseURLMalformed,
		"api.example/v1":                       upstream.BaseURLMalformed,
		"https://":                             upstream.BaseURLMalformed,
		"https:api.example":                    upstream.BaseURLMalformed,
		"https://api.example:0/":               upstream.BaseURLMalformed,
		"https://api.example:99999/":           upstream.BaseURLMalformed,
		"https://api.example/\x7f":             upstream.BaseURLMalformed,
		"file:///etc/passwd":                   upstream.BaseURLScheme,
		"javascript:alert(1)":                  upstream.BaseURLScheme,
		"https://user:pass@api.example/v1":     upstream.BaseURLUserinfo,
		"https://api.example/v1?key=secret":    upstream.BaseURLQuery,
		"https://api.example/v1?":              upstream.BaseURLQuery,
		"https://api.example/v1#x":             upstream.BaseURLFragment,
		"https://api.example/v1#":              upstream.BaseURLFragment,
		"http://169.254.1.1/":                  upstream.BaseURLBlocked,
		"http://[fe80::1%25eth0]/":             upstream.BaseURLBlocked,
		"http://[::ffff:169.254.169.254]/":     upstream.BaseURLBlocked,
		"http://METADATA.google.internal./v1/": upstream.BaseURLBlocked,
	}
	for raw, want := range tests {
		err := upstream.ValidateBaseURL(raw)
		var refused *upstream.BaseURLError
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: got %v, want it accepted", raw, err)
		case want != "" && (!errors.As(err, &refused) || refused.Reason != want):
			t.Errorf("%q: got %v, want %s", raw, err, want)
		}
	}
}

func TestMetadataBaseURLCase(t *testing.T) {
	t.Parallel()
	var in struct{ Blocked, Allowed []string }
	readJSON(t, "testdata/cases/sec-metadata-base-url/input.json", &in)
	if len(in.Blocked) == 0 || len(in.Allowed) == 0 {
		t.Fatal("the case is empty")
	}
	for _, raw := range in.Blocked {
		if upstream.ValidateBaseURL(raw) == nil {
			t.Errorf("%s is accepted", raw)
		}
	}
	for _, raw := range in.Allowed {
		if err := upstream.ValidateBaseURL(raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
