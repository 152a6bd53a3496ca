package upstream

import (
	"net"
	"net/http"
	"time"
)

// defaultConnect bounds the time to connect, and then that of the TLS
// handshake.
const defaultConnect = 10 * time.Second

// ClientConfig says where a client may go.
type ClientConfig struct {
	// AllowPrivateNetwork admits loopback and private addresses.
	AllowPrivateNetwork bool
	// ConnectTimeout bounds connecting and the TLS handshake, each. Zero
	// means 10 s.
	ConnectTimeout time.Duration
}

// NewClient returns an HTTP client for one connection to a model API. It
// checks every address it connects to (see [AddressAllowed]), follows no
// redirect, uses no proxy and asks for no compression. It has no time limit of
// its own for a whole request: an [Exchange] has.
//
// The caller owns the client and may close its idle connections.
func NewClient(c ClientConfig) *http.Client {
	if c.ConnectTimeout <= 0 {
		c.ConnectTimeout = defaultConnect
	}
	dialer := &net.Dialer{
		Timeout: c.ConnectTimeout,
		Control: control(c.AllowPrivateNetwork),
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    c.ConnectTimeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
		},
		CheckRedirect: noRedirect,
	}
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
