package e2e_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/playwright-community/playwright-go"
)

// signIn signs in through the page.
func (p *page) signIn(email, password string) {
	p.t.Helper()
	p.visit("/login", http.StatusOK)
	p.fill("Email", email)
	p.fill("Password", password)
	p.press("Sign in")
	p.must(expect.Page(p).ToHaveURL("/"))
}

// signOut signs out by the menu of the account.
func (p *page) signOut() {
	p.t.Helper()
	p.must(p.Locator("[popovertarget=account]").Click())
	p.press("Sign out")
	p.must(expect.Page(p).ToHaveURL("/login"))
}

// Signing out closes the sockets of every other tab at once. They say so, do
// not connect again and show nothing new, and the run goes on.
func TestSignOutEndsTheOtherTabs(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Before."
gate half
text " After."
finish stop
`)
	c.allow("401") // the console names the page that asks to sign in
	c.start("Go")
	c.model.Reached("half")
	tab := c.followed()
	tab.wantDraft("Before.")
	conversation := c.URL()

	c.signOut()
	tab.connectionIs("is-ended")
	c.model.Release("half")

	c.signIn(adminEmail, adminPassword)
	c.visit(conversation, http.StatusOK)
	c.awaitStatus(isReady)
	if got := c.plainText(); got != "Before. After." {
		t.Errorf("got the answer %q", got)
	}
	tab.lacks("the tab that is signed out", tab.normalised(), []string{"After."})
	tab.connectionIs("is-ended")
	tab.must(expect.Locator(tab.Locator("html")).ToHaveAttribute("data-sockets", "1"))

	// It leads back.
	tab.must(tab.Locator("#connection").GetByRole("link", playwright.LocatorGetByRoleOptions{Name: "Sign in"}).Click())
	tab.must(expect.Page(tab).ToHaveURL("/"))
}

// Who is not signed in is led to the sign-in page and from there to where they
// wanted to go, never to another site.
func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Hello."
finish stop
`)
	c.start("Go")
	c.awaitStatus(isReady)
	p := newPage(t, c.server.url)
	p.visit(c.URL(), http.StatusOK)
	p.fill("Email", adminEmail)
	p.fill("Password", "not the password")
	p.allow("422")
	p.press("Sign in")
	p.must(expect.Locator(p.Locator(".field__error")).ToBeVisible())
	p.fill("Password", adminPassword)
	p.press("Sign in")
	p.must(expect.Page(p).ToHaveURL(strings.TrimPrefix(c.URL(), c.server.url)))
	p.awaitStatus(isReady)
	c.wantSame(p)

	astray := newPage(t, c.server.url)
	astray.visit("/login?next="+url.QueryEscape("//other.example/"), http.StatusOK)
	astray.fill("Email", adminEmail)
	astray.fill("Password", adminPassword)
	astray.press("Sign in")
	astray.must(expect.Page(astray).ToHaveURL("/"))
}

// What was typed and not sent outlives a reload, but not its person.
func TestUnsentTextIsKept(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Hello."
finish stop
`)
	c.start("Go")
	c.awaitStatus(isReady)
	conversation := c.URL()
	box := c.Locator("#message")
	c.must(box.Fill("Half a sen"))
	c.visit(conversation, http.StatusOK)
	c.must(expect.Locator(box).ToHaveValue("Half a sen"))
	c.visit("/", http.StatusOK)
	c.must(expect.Locator(box).ToHaveValue(""))

	c.signOut()
	c.signIn(adminEmail, adminPassword)
	c.visit(conversation, http.StatusOK)
	c.must(expect.Locator(box).ToHaveValue(""))
}

// What does not exist is not found, for every address below a conversation and
// below the settings.
func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	c := newChat(t, `
text "Hello."
finish stop
`)
	c.start("Go")
	c.awaitStatus(isReady)
	unknown := "/c/c_aaaaaaaaaaaaaaaaaaaaaaaa"
	own := strings.TrimPrefix(c.URL(), c.server.url)
	for _, path := range []string{unknown, "/c/1", "/c/..%2f..", unknown + "/live", "/settings/providers/p_aaaaaaaaaaaaaaaaaaaaaaaa", "/nowhere"} {
		response, err := c.Context().Request().Get(path, playwright.APIRequestContextGetOptions{
			Headers: map[string]string{"Origin": c.server.url},
		})
		c.must(err)
		if response.Status() != http.StatusNotFound {
			t.Errorf("GET %s: got %d, want 404", path, response.Status())
		}
	}
	forms := []string{
		unknown + "/messages", unknown + "/stop", unknown + "/queue/m_a", unknown + "/approvals/i_a", unknown + "/reconcile/i_a",
		unknown + "/questions/i_a", unknown + "/grants/n_a/revoke", own + "/questions/i_aaaaaaaaaaaaaaaaaaaaaaaa",
		own + "/stop", own + "/approvals/i_aaaaaaaaaaaaaaaaaaaaaaaa", own + "/reconcile/i_aaaaaaaaaaaaaaaaaaaaaaaa",
		"/settings/providers/p_aaaaaaaaaaaaaaaaaaaaaaaa/test", "/settings/providers/p_aaaaaaaaaaaaaaaaaaaaaaaa/delete",
	}
	for _, path := range forms {
		response, err := c.Context().Request().Post(path, playwright.APIRequestContextPostOptions{
			Form: map[string]any{
				"run": "r_aaaaaaaaaaaaaaaaaaaaaaaa", "text": "x", "message_id": "m_aaaaaaaaaaaaaaaaaaaaaaaa",
				"call": "call_a", "binding": strings.Repeat("a", 64), "decision": "allow", "answer": "happened",
			},
			Headers: map[string]string{"Origin": c.server.url},
		})
		c.must(err)
		if response.Status() != http.StatusNotFound {
			t.Errorf("POST %s: got %d, want 404", path, response.Status())
		}
	}
	c.wantSame(c.join())
}

// TestSocketOrigin is the case sec-websocket-origin: a page of another origin
// can't open the socket with the cookie of a person who visits it.
func TestSocketOrigin(t *testing.T) {
	t.Parallel()
	var input struct {
		Handshakes []struct{ ID, Origin string }
	}
	readCase(t, "sec-websocket-origin", &input)
	c := newChat(t, `
text "Hello."
finish stop
`)
	c.start("Go")
	c.awaitStatus(isReady)
	cookies, err := c.Context().Cookies()
	c.must(err)
	// The case has TLS in front of its server, which this one has not: the
	// schemes change places.
	address := "ws://app.example" + strings.TrimPrefix(c.URL(), c.server.url) + "/live"
	scheme := strings.NewReplacer("https:", "http:", "http:", "https:")
	here := websocket.Dialer{NetDialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(c.server.url, "http://"))
	}}
	dial := func(cookie bool, origin ...string) int {
		t.Helper()
		header := http.Header{"Origin": origin}
		for _, k := range cookies {
			if cookie {
				header.Add("Cookie", k.Name+"="+k.Value)
			}
		}
		conn, response, err := here.DialContext(t.Context(), address, header)
		if response == nil {
			t.Fatal(err)
		}
		if err == nil {
			conn.Close()
		}
		return response.StatusCode
	}
	for _, h := range input.Handshakes {
		want := http.StatusForbidden
		if h.ID == "ok" {
			want = http.StatusSwitchingProtocols
		}
		if got := dial(true, scheme.Replace(h.Origin)); got != want {
			t.Errorf("%s, origin %s: got %d, want %d", h.ID, scheme.Replace(h.Origin), got, want)
		}
	}
	if got := dial(true); got != http.StatusForbidden {
		t.Errorf("without an origin: got %d, want 403", got)
	}
	if got := dial(false, "http://app.example"); got != http.StatusUnauthorized && got != http.StatusSeeOther {
		t.Errorf("without a cookie: got %d, want to be sent to sign in", got)
	}
}
