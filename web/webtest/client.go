package webtest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// A Client is a browser without scripts. It keeps cookies and follows no
// redirect by itself.
type Client struct {
	tb   testing.TB
	base string
	http *http.Client
}

// A Response is an answer, read to its end.
type Response struct {
	Status   int
	Header   http.Header
	Body     string
	Location string // of a redirect
}

func newClient(tb testing.TB, base string) *Client {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	transport := &http.Transport{}
	tb.Cleanup(transport.CloseIdleConnections)
	return &Client{tb: tb, base: base, http: &http.Client{
		Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Get fetches a path.
func (c *Client) Get(path string) Response {
	c.tb.Helper()
	return c.Do(c.Request(http.MethodGet, path, nil))
}

// Post sends a form as a page of the server would.
func (c *Client) Post(path string, form url.Values) Response {
	c.tb.Helper()
	r := c.Request(http.MethodPost, path, form)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return c.Do(r)
}

// Follow fetches where a redirect leads, after checking that it is one.
func (c *Client) Follow(from Response) Response {
	c.tb.Helper()
	if from.Status != http.StatusSeeOther {
		c.tb.Fatalf("status: got %d, want a redirect\n%s", from.Status, from.Body)
	}
	return c.Get(from.Location)
}

// Request prepares a request for Do. A form makes it a form's.
func (c *Client) Request(method, path string, form url.Values) *http.Request {
	c.tb.Helper()
	r, err := http.NewRequestWithContext(c.tb.Context(), method, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.tb.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// Do sends a request.
func (c *Client) Do(r *http.Request) Response {
	c.tb.Helper()
	res, err := c.http.Do(r)
	if err != nil {
		c.tb.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		c.tb.Fatal(err)
	}
	return Response{Status: res.StatusCode, Header: res.Header, Body: string(body), Location: res.Header.Get("Location")}
}

// Cookies returns what the browser would send.
func (c *Client) Cookies() []*http.Cookie {
	u, err := url.Parse(c.base)
	if err != nil {
		c.tb.Fatal(err)
	}
	return c.http.Jar.Cookies(u)
}

// SetCookies plants cookies in the browser.
func (c *Client) SetCookies(cookies ...*http.Cookie) {
	u, err := url.Parse(c.base)
	if err != nil {
		c.tb.Fatal(err)
	}
	c.http.Jar.SetCookies(u, cookies)
}
