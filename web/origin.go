package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// originAllowed reports whether the request comes from a page of this server.
// A request that names no origin does not: browsers send one with every
// WebSocket handshake.
//
// Where a public URL is declared, its origin is the only one. Otherwise the
// origin must be the address that the request itself was sent to.
func (s *Server) originAllowed(r *http.Request) bool {
	got, ok := parseOrigin(r.Header.Get("Origin"))
	if !ok {
		return false
	}
	if s.publicOrigin != "" {
		return got == s.publicOrigin
	}
	scheme := "http"
	if s.isHTTPS(r) {
		scheme = "https"
	}
	want, ok := parseOrigin(scheme + "://" + r.Host)
	return ok && got == want
}

// isHTTPS reports whether the browser reached the server over TLS.
func (s *Server) isHTTPS(r *http.Request) bool {
	return r.TLS != nil || s.config.TrustedProxy && r.Header.Get("X-Forwarded-Proto") == "https"
}

// parseOrigin returns scheme, host and port in one canonical form.
func parseOrigin(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", false
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port), true
}

// clientNetwork names who to throttle: the client's IPv4 address or its IPv6
// /64 network, which is what one customer gets. Behind a declared proxy the
// client is the last address that the proxy added to X-Forwarded-For; without
// one the header is what the client says about itself and means nothing.
func (s *Server) clientNetwork(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if s.config.TrustedProxy {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if last := strings.TrimSpace(hops[len(hops)-1]); last != "" {
			host = last
		}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	network, _ := addr.Prefix(64) // 64 is a length that every IPv6 address has
	return network.String()
}
