package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"

	"countersign/providers"
)

// requestError says why no answer came.
func (x *Exchange) requestError(err error) error {
	if ended := x.ended(); ended != nil {
		return ended
	}
	if errors.Is(err, errBlocked) {
		return x.head.Error(providers.CategoryBlocked, CodeAddressBlocked)
	}
	if isTLS(err) {
		return x.head.Error(providers.CategoryNetwork, CodeTLSFailed)
	}
	if x.connected.Load() {
		return x.head.Error(providers.CategoryNetwork, CodeConnectionLost)
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return x.head.Error(providers.CategoryTimeout, CodeConnectTimeout)
	}
	var name *net.DNSError
	if errors.As(err, &name) {
		return x.head.Error(providers.CategoryNetwork, CodeNameNotResolved)
	}
	return x.head.Error(providers.CategoryNetwork, CodeConnectFailed)
}

// isTLS reports a failure that no repetition mends: a certificate that is not
// trusted, or a peer that speaks another protocol.
func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
	)
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}
