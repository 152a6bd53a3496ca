package providertest

import (
	"bytes"
	"io"
	"net/http"
)

// Canned returns a client whose every request is answered with one event
// stream, without a connection: for many short tests.
func Canned(body []byte) *http.Client { return &http.Client{Transport: canned{body}} }

type canned struct{ body []byte }

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req,
		Body: io.NopCloser(bytes.NewReader(c.body)),
	}, nil
}
