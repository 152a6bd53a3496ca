package web

import (
	"crypto/tls"
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
)

// TestForeignOriginsAreRefused replays the handshakes of the case
// sec-websocket-origin: any site that a person visits may try to open the
// socket with their cookie.
func TestForeignOriginsAreRefused(t *testing.T) {
	t.Parallel()
	var input struct {
		AppOrigin  string `json:"app_origin"`
		Handshakes []struct{ ID, Origin string }
	}
	readCase(t, "sec-websocket-origin/input.json", &input)
	var want struct {
		Input struct {
			HostHeader string `json:"host_header"`
		}
		Expected struct {
			Steps map[string]struct {
				Status   int   `json:"http_status"`
				StatusIn []int `json:"http_status_in"`
			}
		}
	}
	readCase(t, "sec-websocket-origin/case.json", &want)

	s := &Server{config: Config{PublicURL: input.AppOrigin}}
	s.publicOrigin, _ = parseOrigin(input.AppOrigin)
	if len(input.Handshakes) == 0 {
		t.Fatal("the case has no handshakes")
	}
	for _, h := range input.Handshakes {
		r := httptest.NewRequest("GET", "/c/c_1/live", nil)
		r.Host = want.Input.HostHeader
		r.Header.Set("Origin", h.Origin)
		got := 403
		if s.originAllowed(r) {
			got = 101
		}
		step := want.Expected.Steps[h.ID]
		if got != step.Status && !slices.Contains(step.StatusIn, got) {
			t.Errorf("%s: origin %q: got %d, want %d or one of %v", h.ID, h.Origin, got, step.Status, step.StatusIn)
		}
	}
}

// TestOriginWithoutPublicURL compares with the address that the request was
// sent to.
func TestOriginWithoutPublicURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		host, origin string
		tls, proxied bool
		want         bool
	}{
		{name: "same host", host: "127.0.0.1:8080", origin: "http://127.0.0.1:8080", want: true},
		{name: "default port", host: "app.example", origin: "http://app.example:80", want: true},
		{name: "letter case", host: "App.example", origin: "http://app.example", want: true},
		{name: "another port", host: "127.0.0.1:8080", origin: "http://127.0.0.1:9090"},
		{name: "another host", host: "127.0.0.1:8080", origin: "http://localhost:8080"},
		{name: "no origin", host: "127.0.0.1:8080"},
		{name: "null", host: "127.0.0.1:8080", origin: "null"},
		{name: "a path", host: "app.example", origin: "http://app.example/x"},
		{name: "user", host: "app.example", origin: "http://app.example@evil.example"},
		{name: "TLS", host: "app.example", origin: "https://app.example", tls: true, want: true},
		{name: "TLS from plain", host: "app.example", origin: "http://app.example", tls: true},
		{name: "TLS at the proxy", host: "app.example", origin: "https://app.example", proxied: true, want: true},
		{name: "plain claiming TLS", host: "app.example", origin: "https://app.example"},
	}
	for _, test := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = test.host
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		if test.tls {
			r.TLS = &tls.ConnectionState{}
		}
		r.Header.Set("X-Forwarded-Proto", "https") // believed from a declared proxy only
		s := &Server{config: Config{TrustedProxy: test.proxied}}
		if got := s.originAllowed(r); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestClientNetwork(t *testing.T) {
	t.Parallel()
	tests := []struct {
		remote, forwarded string
		proxied           bool
		want              string
	}{
		{remote: "203.0.113.7:5000", want: "203.0.113.7"},
		{remote: "203.0.113.7:5000", forwarded: "198.51.100.1", want: "203.0.113.7"},
		{remote: "127.0.0.1:5000", forwarded: "198.51.100.1", proxied: true, want: "198.51.100.1"},
		{remote: "127.0.0.1:5000", forwarded: "10.9.9.9, 198.51.100.1", proxied: true, want: "198.51.100.1"},
		{remote: "127.0.0.1:5000", proxied: true, want: "127.0.0.1"},
		{remote: "[2001:db8:1:2:3:4:5:6]:5000", want: "2001:db8:1:2::/64"},
		{remote: "[::ffff:203.0.113.7]:5000", want: "203.0.113.7"},
		{remote: "[fe80::1%eth0]:5000", want: "fe80::/64"},
	}
	for _, test := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.remote
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		s := &Server{config: Config{TrustedProxy: test.proxied}}
		if got := s.clientNetwork(r); got != test.want {
			t.Errorf("%s, forwarded for %q: got %s, want %s", test.remote, test.forwarded, got, test.want)
		}
	}
}

func readCase(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}
