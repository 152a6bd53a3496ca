package web_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"countersign/agent"
	"countersign/web"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

// answered returns a dialogue with one finished run.
func answered(t *testing.T, options ...webtest.Option) *dialogue {
	t.Helper()
	d := newDialogue(t, "text \"Hello.\"\nfinish stop", setting{server: options})
	d.send("Say hello.")
	d.until(agent.StatusSucceeded)
	return d
}

func dial(t *testing.T, s *webtest.Server, header http.Header, p *livepage.Page) *livepage.Tab {
	t.Helper()
	tab, err := livepage.Dial(t.Context(), s.URL, header, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

func TestSocketIsRefused(t *testing.T) {
	t.Parallel()
	d := answered(t)
	page := load(t, d.s.Admin, d.url())
	for _, c := range []struct {
		name   string
		header func(http.Header)
		page   string // replaces the conversation
		as     *webtest.Client
		want   int
	}{
		{"from another site", func(h http.Header) { h.Set("Origin", "https://evil.example") }, "", d.s.Admin, http.StatusForbidden},
		{"from this host by another scheme", func(h http.Header) { h.Set("Origin", strings.Replace(d.s.URL, "http", "https", 1)) }, "", d.s.Admin, http.StatusForbidden},
		{"from nowhere", func(h http.Header) { h.Set("Origin", "null") }, "", d.s.Admin, http.StatusForbidden},
		{"by nobody", func(h http.Header) { h.Del("Cookie") }, "", d.s.Admin, http.StatusUnauthorized},
		{"by somebody else", func(http.Header) {}, "", d.s.Member, http.StatusNotFound},
		{"of no conversation", func(http.Header) {}, "c_none", d.s.Admin, http.StatusNotFound},
	} {
		header := cookies(c.as)
		c.header(header)
		asked := page
		if c.page != "" {
			var err error
			if asked, err = livepage.Parse(`<main data-live="/c/` + c.page + `/live" data-seq="1">`); err != nil {
				t.Fatal(err)
			}
		}
		tab, err := livepage.Dial(t.Context(), d.s.URL, header, asked)
		if err == nil {
			tab.Close()
		}
		var refused *livepage.RefusedError
		if !errors.As(err, &refused) || refused.Status != c.want {
			t.Errorf("a socket %s: got %v, want status %d", c.name, err, c.want)
		}
	}
}

func TestSocketEndsForWordsItDoesNotTake(t *testing.T) {
	t.Parallel()
	d := answered(t, webtest.Pace(web.Pace{Hello: 300 * time.Millisecond}))
	for _, c := range []struct {
		name string
		say  func(*websocket.Conn) error
		want int
	}{
		{"not JSON", func(c *websocket.Conn) error { return c.WriteMessage(websocket.TextMessage, []byte("hello")) }, websocket.CloseUnsupportedData},
		{"not an object", func(c *websocket.Conn) error { return c.WriteMessage(websocket.TextMessage, []byte("[1]")) }, websocket.CloseUnsupportedData},
		{"not text", func(c *websocket.Conn) error { return c.WriteMessage(websocket.BinaryMessage, []byte(`{"seq":1}`)) }, websocket.CloseUnsupportedData},
		{"too long", func(c *websocket.Conn) error {
			return c.WriteMessage(websocket.TextMessage, []byte(`{"want":"`+strings.Repeat("x", 5000)+`"}`))
		}, websocket.CloseMessageTooBig},
		{"nothing in time", func(*websocket.Conn) error { return nil }, websocket.CloseAbnormalClosure},
	} {
		tab := dial(t, d.s, cookies(d.s.Admin), load(t, d.s.Admin, d.url()))
		if err := c.say(tab.Conn); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if code, err := tab.Closed(within); code != c.want {
			t.Errorf("%s: closed with %d (%v), want %d", c.name, code, err, c.want)
		}
	}
}

// What a page claims to have is taken for what it is worth.
func TestPageThatClaimsWhatCanNotBeIsDrawnAnew(t *testing.T) {
	t.Parallel()
	d := answered(t)
	want := load(t, d.s.Admin, d.url()).Normal()
	for _, hello := range []string{
		`{}`, `{"seq":-1}`, `{"seq":9223372036854775807}`, `{"seq":0,"attempt":"a_1","answer":-3}`,
	} {
		tab := dial(t, d.s, cookies(d.s.Admin), load(t, d.s.Admin, d.url()))
		tab.Apply(`<template data-op="put"><div class="lane transcript" id="runs"></div></template>`)
		if err := tab.Say(hello); err != nil {
			t.Fatal(err)
		}
		if err := tab.Until(within, func(p *livepage.Page) bool { return p.Normal() == want }); err != nil {
			t.Errorf("%s: %v", hello, err)
		}
	}
}

func TestSignOutClosesSocketsOfTheSession(t *testing.T) {
	t.Parallel()
	d := answered(t)
	other := d.s.SignIn(webtest.AdminEmail)
	first, second, elsewhere := d.open(), d.open(), open(t, d.s, other, d.url())
	d.agree(first, second, elsewhere)
	d.post("/logout", url.Values{})
	for _, tab := range []*livepage.Tab{first, second} {
		if code, err := tab.Closed(within); code != 4401 {
			t.Errorf("closed with %d (%v), want 4401", code, err)
		}
	}
	d.s.Admin = other
	d.agree(elsewhere)
}

// A page that stays open does not keep a session alive, and does not outlive
// it; nor does it serve somebody whom another program disabled.
func TestSocketEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*dialogue)
		want int
	}{
		"expired":  {func(d *dialogue) { d.s.Clock.Advance(31 * 24 * time.Hour) }, 4401},
		"unused":   {func(d *dialogue) { d.s.Clock.Advance(8 * 24 * time.Hour) }, 4401},
		"disabled": {func(d *dialogue) { d.s.Disable(webtest.MemberEmail) }, 4403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, "text \"Hello.\"\nfinish stop", setting{server: []webtest.Option{webtest.Pace(web.Pace{Beat: 50 * time.Millisecond})}})
			d.s.Admin = d.s.Member // the last admin can't be disabled
			d.send("Say hello.")
			d.until(agent.StatusSucceeded)
			tab := d.open()
			d.agree(tab)
			c.end(d)
			if code, err := tab.Closed(within); code != c.want {
				t.Errorf("closed with %d (%v), want %d", code, err, c.want)
			}
		})
	}
}

func TestShutdownClosesSockets(t *testing.T) {
	t.Parallel()
	d := answered(t)
	tabs := []*livepage.Tab{d.open(), d.open()}
	silent := dial(t, d.s, cookies(d.s.Admin), load(t, d.s.Admin, d.url()))
	d.agree(tabs...)
	if err := d.s.Site.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tab := range append(tabs, silent) {
		if code, err := tab.Closed(within); code != websocket.CloseGoingAway {
			t.Errorf("closed with %d (%v), want %d", code, err, websocket.CloseGoingAway)
		}
	}
	late, err := livepage.Dial(t.Context(), d.s.URL, cookies(d.s.Admin), load(t, d.s.Admin, d.url()))
	if err == nil {
		late.Close()
	}
	var refused *livepage.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("a socket that comes too late: got %v, want status 503", err)
	}
}

// longScript is an answer that fills the buffers of a connection when it is
// drawn some times.
var longScript = `repeat 250 text "` + strings.Repeat("kilobyte ", 113) + `\n"
gate half
text "The end."
finish stop`

// stuck connects a page that asks for the draft again and again, and never
// reads. It returns why it could not ask any more: a time-out when the
// connection is full in both directions.
func stuck(t *testing.T, d *dialogue, patience time.Duration) error {
	t.Helper()
	page := load(t, d.s.Admin, d.url())
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(4096)
	}}
	header := cookies(d.s.Admin)
	header.Set("Origin", d.s.URL)
	conn, _, err := dialer.DialContext(t.Context(), strings.Replace(d.s.URL, "http", "ws", 1)+page.Live(), header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	want := fmt.Sprintf(`{"want":%q,"padding":%q}`, d.s.Engine.Draft(d.id).Attempt, strings.Repeat("x", 3900))
	for err = conn.WriteMessage(websocket.TextMessage, []byte(page.Hello())); err == nil; {
		_ = conn.SetWriteDeadline(time.Now().Add(patience))
		err = conn.WriteMessage(websocket.TextMessage, []byte(want))
	}
	return err
}

func (d *dialogue) whole() bool { return len(d.s.Engine.Draft(d.id).Answer) >= 250*1018 }

// A page that stops reading loses its connection, and holds up nobody.
func TestSlowPageIsDropped(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, longScript, setting{server: []webtest.Option{webtest.Pace(web.Pace{Write: 300 * time.Millisecond})}})
	d.send("Write much.")
	d.up.Reached("half")
	d.await("the draft is whole", d.whole)
	tab := d.open()
	d.agree(tab)
	err := stuck(t, d, within)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection that took nothing is still open")
	}
	d.up.Release("half")
	d.until(agent.StatusSucceeded)
	d.agree(tab)
}

// A page that stops reading does not hold up the end of the server.
func TestShutdownDoesNotWaitForSlowPages(t *testing.T) {
	t.Parallel()
	d := newDialogue(t, longScript, setting{server: []webtest.Option{webtest.Pace(web.Pace{Write: time.Hour})}})
	d.send("Write much.")
	d.up.Reached("half")
	d.await("the draft is whole", d.whole)
	err := stuck(t, d, 300*time.Millisecond)
	if timeout := net.Error(nil); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatalf("the connection is not full: %v", err)
	}
	d.up.Release("half")
	d.until(agent.StatusSucceeded)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	if err := d.s.Site.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// Connections that come and go leave nothing behind. It is not parallel: it
// counts goroutines.
func TestSocketsLeaveNothingBehind(t *testing.T) {
	d := answered(t)
	body := d.s.Admin.Get(d.url()).Body
	connectOnce := func() {
		page, err := livepage.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		tab, err := livepage.Connect(t.Context(), d.s.URL, cookies(d.s.Admin), page)
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.Until(within, func(*livepage.Page) bool { return tab.Frames > 0 }); err != nil {
			t.Fatal(err)
		}
		tab.Close()
	}
	connectOnce()
	before := runtime.NumGoroutine()
	for range 200 {
		connectOnce()
	}
	for deadline := time.Now().Add(within); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}
