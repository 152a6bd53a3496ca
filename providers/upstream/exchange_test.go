package upstream_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/providers"
	"countersign/providers/providertest"
	"countersign/providers/upstream"
)

const soon = 20 * time.Millisecond

// exchange opens an exchange with url and reads it to its end. It returns the
// data of the events and the final error, nil for a clean end.
func exchange(ctx context.Context, t *testing.T, url string, b upstream.Bounds) (string, error) {
	t.Helper()
	client := upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
	defer client.CloseIdleConnections()
	return exchangeWith(ctx, t, client, url, b)
}

func exchangeWith(ctx context.Context, t *testing.T, client *http.Client, url string, b upstream.Bounds) (string, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	x, err := upstream.Opener{Client: client, API: providers.APIChatCompletions, Bounds: b}.Open(ctx, req)
	if err != nil {
		return "", err
	}
	defer x.Close()
	var data strings.Builder
	for {
		ev, err := x.Next()
		if err == io.EOF {
			return data.String(), nil
		}
		if err != nil {
			return data.String(), err
		}
		data.Write(ev.Data)
	}
}

func wantError(t *testing.T, err error, want providers.Error) {
	t.Helper()
	var got *providers.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v, want %v", err, &want)
	}
	want.API = providers.APIChatCompletions
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExchangeReadsAStream(t *testing.T) {
	t.Parallel()
	s := providertest.NewServer(t, providertest.Events([]byte("data: a\n\n: x\n\ndata: b\n\n")))
	data, err := exchange(t.Context(), t, s.URL, upstream.Bounds{})
	if data != "ab" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestExchangeWithoutContentType(t *testing.T) {
	t.Parallel()
	tests := []struct{ body, data, code string }{
		{"data: a\n\n", "a", ""},
		{"\xef\xbb\xbf\r\n: hi\n\ndata: a\n\n", "a", ""},
		{"event: x\ndata: a\n\n", "a", ""},
		{"", "", ""},
		{"dat", "", upstream.CodeUnexpectedContentType},
		{"<html>data: a\n\n", "", upstream.CodeUnexpectedContentType},
		{"data without a colon", "", upstream.CodeUnexpectedContentType},
	}
	for _, tt := range tests {
		for _, writes := range [][]int{nil, {1}} {
			s := providertest.NewServer(t, providertest.Answer{Body: []byte(tt.body), Writes: writes})
			data, err := exchange(t.Context(), t, s.URL, upstream.Bounds{})
			if tt.code != "" {
				wantError(t, err, providers.Error{Category: providers.CategoryParser, Code: tt.code, HTTPStatus: 200})
			} else if err != nil {
				t.Errorf("%q: %v", tt.body, err)
			}
			if data != tt.data {
				t.Errorf("%q: got %q, want %q", tt.body, data, tt.data)
			}
		}
	}
}

func TestExchangeTimeBounds(t *testing.T) {
	t.Parallel()
	stall := func(body string) providertest.Answer {
		a := providertest.Events([]byte(body))
		a.Then = providertest.Stall
		return a
	}
	tests := []struct {
		name   string
		answer providertest.Answer
		bounds upstream.Bounds
		want   providers.Error
	}{
		{"no head", providertest.Answer{Silent: true, Then: providertest.Stall}, upstream.Bounds{FirstByte: soon},
			providers.Error{Code: upstream.CodeFirstEventTimeout}},
		{"no byte", stall(""), upstream.Bounds{FirstByte: 25 * soon},
			providers.Error{Code: upstream.CodeFirstEventTimeout, HTTPStatus: 200}},
		{"silence after a comment", stall(": hi\n\n"), upstream.Bounds{Idle: soon},
			providers.Error{Code: upstream.CodeIdleTimeout, HTTPStatus: 200}},
		{"whole attempt", stall("data: a\n\n"), upstream.Bounds{Attempt: 25 * soon},
			providers.Error{Code: upstream.CodeDeadline, HTTPStatus: 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := providertest.NewServer(t, tt.answer)
			_, err := exchange(t.Context(), t, s.URL, tt.bounds)
			tt.want.Category, tt.want.Retryable = providers.CategoryTimeout, true
			wantError(t, err, tt.want)
			s.AwaitAbort()
		})
	}
}

// The bytes of a slow stream re-arm the idle bound, so that only silence ends
// it: here the stream lasts several times as long as the bound.
func TestExchangeIdleIsRearmedByBytes(t *testing.T) {
	t.Parallel()
	const idle = 500 * time.Millisecond
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(idle / 5)
		defer tick.Stop()
		for range 8 {
			<-tick.C
			_, _ = io.WriteString(w, ": wait\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, "data: a\n\n")
	}))
	t.Cleanup(server.Close)
	data, err := exchange(t.Context(), t, server.URL, upstream.Bounds{Idle: idle})
	if data != "a" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestExchangeSizeBounds(t *testing.T) {
	t.Parallel()
	body := []byte("data: a\n\ndata: " + strings.Repeat("b", 1000) + "\n\n")
	for code, bounds := range map[string]upstream.Bounds{
		upstream.CodeEventTooLarge:  {Event: 100},
		upstream.CodeStreamTooLarge: {Response: 100},
	} {
		a := providertest.Events(body)
		a.Then = providertest.Stall
		s := providertest.NewServer(t, a)
		data, err := exchange(t.Context(), t, s.URL, bounds)
		if data != "a" {
			t.Errorf("got %q before the bound, want %q", data, "a")
		}
		wantError(t, err, providers.Error{Category: providers.CategoryParser, Code: code, HTTPStatus: 200})
		s.AwaitAbort()
	}
}

func TestExchangeBrokenConnections(t *testing.T) {
	t.Parallel()
	for name, ending := range map[string]providertest.Ending{"cut": providertest.Cut, "reset": providertest.Reset} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := providertest.Events([]byte("data: a\n\ndata: b\n"))
			a.Header["x-request-id"] = "req_1"
			a.Then = ending
			s := providertest.NewServer(t, a)
			data, err := exchange(t.Context(), t, s.URL, upstream.Bounds{})
			if data != "a" {
				t.Errorf("got %q, want %q", data, "a")
			}
			wantError(t, err, providers.Error{
				Category: providers.CategoryNetwork, Code: upstream.CodeStreamEndedEarly, Retryable: true,
				HTTPStatus: 200, RequestID: "req_1",
			})
		})
	}
}

func TestExchangeKeepsTheCallersCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("stopped by a person")
	for name, answer := range map[string]providertest.Answer{
		"before the head": {Silent: true, Then: providertest.Stall},
		"in an error":     {Status: 500, Body: []byte("{"), Then: providertest.Stall},
		"in the stream":   {Header: map[string]string{"content-type": "text/event-stream"}, Then: providertest.Stall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := providertest.NewServer(t, answer)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(soon, func() { cancel(cause) })
			if _, err := exchange(ctx, t, s.URL, upstream.Bounds{}); !errors.Is(err, cause) {
				t.Errorf("got %v, want %v", err, cause)
			}
		})
	}
}

func TestExchangeFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	target := providertest.NewServer(t)
	s := providertest.NewServer(t, providertest.Answer{Status: 307, Header: map[string]string{"location": target.URL}})
	_, err := exchangeWith(t.Context(), t, http.DefaultClient, s.URL, upstream.Bounds{})
	wantError(t, err, providers.Error{Category: providers.CategoryNotFound, HTTPStatus: 307})
}

func TestExchangeErrorAnswerThatBreaksOff(t *testing.T) {
	t.Parallel()
	s := providertest.NewServer(t, providertest.Answer{Status: 429, Body: []byte(`{"error":`), Then: providertest.Cut})
	_, err := exchange(t.Context(), t, s.URL, upstream.Bounds{})
	wantError(t, err, providers.Error{Category: providers.CategoryRateLimit, Retryable: true, HTTPStatus: 429})
}

func TestExchangeConnectFailures(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + listener.Addr().String()
	_ = listener.Close()
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)

	tests := []struct {
		name, url string
		want      providers.Error
	}{
		{"refused", refused, providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeConnectFailed, Retryable: true}},
		{"untrusted certificate", untrusted.URL, providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeTLSFailed}},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeTLSFailed}},
		{"link-local", "http://169.254.169.254/", providers.Error{Category: providers.CategoryBlocked, Code: upstream.CodeAddressBlocked}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := exchange(t.Context(), t, tt.url, upstream.Bounds{})
			wantError(t, err, tt.want)
		})
	}
}

func TestExchangeUnknownName(t *testing.T) {
	t.Parallel()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
		},
	}}
	_, err := exchangeWith(t.Context(), t, client, "http://name.invalid/", upstream.Bounds{})
	wantError(t, err, providers.Error{Category: providers.CategoryNetwork, Code: upstream.CodeNameNotResolved, Retryable: true})
}

// A name that leads to a blocked address is refused like the address itself,
// because the check happens at the connection.
func TestClientChecksWhatANameResolvesTo(t *testing.T) {
	t.Parallel()
	s := providertest.NewServer(t)
	client := upstream.NewClient(upstream.ClientConfig{})
	for _, url := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
		_, err := exchangeWith(t.Context(), t, client, url, upstream.Bounds{})
		wantError(t, err, providers.Error{Category: providers.CategoryBlocked, Code: upstream.CodeAddressBlocked})
	}
}

func TestExchangeConnectTimeout(t *testing.T) {
	t.Parallel()
	// This server accepts and then says nothing, so the TLS handshake hangs.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	client := upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true, ConnectTimeout: soon})
	_, err = exchangeWith(t.Context(), t, client, "https://"+listener.Addr().String(), upstream.Bounds{})
	wantError(t, err, providers.Error{Category: providers.CategoryTimeout, Code: upstream.CodeConnectTimeout, Retryable: true})
}

func TestExchangeSettle(t *testing.T) {
	t.Parallel()
	a := providertest.Events([]byte("data: a\n\n"))
	a.Then = providertest.Stall
	s := providertest.NewServer(t, a)
	req, err := http.NewRequest(http.MethodPost, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := upstream.NewClient(upstream.ClientConfig{AllowPrivateNetwork: true})
	opener := upstream.Opener{Client: client, API: providers.APIChatCompletions, Bounds: upstream.Bounds{Trailer: soon}}
	x, err := opener.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Next(); err != nil {
		t.Fatal(err)
	}
	x.Settle()
	if _, err := x.Next(); err == nil || err == io.EOF {
		t.Errorf("got %v, want the bound", err)
	}
	s.AwaitAbort()
}
