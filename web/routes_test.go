package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"countersign/web"
	"countersign/web/webtest"
)

var wildcard = regexp.MustCompile(`\{[a-z]+\}`)

// TestEveryRouteChecksAccess asks for every row of the route table as nobody,
// as a member and as an admin, with ids that do not exist. Somebody who lacks
// the access is stopped before an id is looked at.
func TestEveryRouteChecksAccess(t *testing.T) {
	t.Parallel()
	for _, rt := range web.Routes() {
		t.Run(rt.Pattern, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			method, path, ok := strings.Cut(rt.Pattern, " ")
			if !ok || method != http.MethodGet && method != http.MethodPost {
				t.Fatal("a route is a GET or a POST of a path")
			}
			path = strings.TrimSuffix(wildcard.ReplaceAllString(path, "x_unknown"), "{$}")
			ask := func(c *webtest.Client) webtest.Response {
				r := c.Request(method, path, url.Values{})
				r.Header.Set("Origin", s.URL)
				got := c.Do(r)
				if got.Header.Get("Content-Security-Policy") == "" {
					t.Error("an answer has no content security policy")
				}
				return got
			}
			unknown := strings.Contains(path, "x_unknown")
			nobody := ask(s.Browser())
			switch rt.Access {
			case "public":
				if refused(method, nobody) {
					t.Errorf("nobody: got %s, want to be let in", describe(nobody))
				}
			case "setup":
				if nobody.Status != http.StatusNotFound {
					t.Errorf("nobody, once there are users: got %s, want 404", describe(nobody))
				}
			case "signed in", "admin":
				if !refused(method, nobody) {
					t.Errorf("nobody: got %s, want to be sent to sign in", describe(nobody))
				}
				member := ask(s.Member)
				if want := rt.Access == "admin"; (member.Status == http.StatusForbidden) != want {
					t.Errorf("member: got %s, want forbidden: %v", describe(member), want)
				}
				admin := ask(s.Admin)
				if refused(method, admin) || admin.Status == http.StatusForbidden {
					t.Errorf("admin: got %s, want to be let in", describe(admin))
				}
				if unknown && admin.Status != http.StatusNotFound {
					t.Errorf("admin: got %s, want 404", describe(admin))
				}
			default:
				t.Errorf("no such access: %q", rt.Access)
			}
		})
	}
}

// refused reports whether the answer asks to sign in: a page by a redirect, a
// form by its status, because what it sent can't be sent again.
func refused(method string, r webtest.Response) bool {
	if method == http.MethodGet {
		return r.Status == http.StatusSeeOther && strings.HasPrefix(r.Location, "/login")
	}
	return r.Status == http.StatusUnauthorized
}

func describe(r webtest.Response) string { return fmt.Sprintf("%d to %q", r.Status, r.Location) }

func TestUnroutedAddresses(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	if got := s.Browser().Get("/nowhere?q=1"); got.Status != http.StatusNotFound || !strings.Contains(got.Body, "Not found") {
		t.Errorf("an unknown address: got %s", describe(got))
	}
	got := s.Browser().Get("/logout")
	if got.Status != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "POST" {
		t.Errorf("GET of a POST: got %d, Allow %q", got.Status, got.Header.Get("Allow"))
	}
	if got := s.Browser().Get("/static/none/app.css"); got.Status != http.StatusNotFound {
		t.Errorf("an unknown asset: got %s", describe(got))
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := s.Browser().Get(path); got.Status != http.StatusOK || got.Body != "ok\n" {
			t.Errorf("%s: got %d %q", path, got.Status, got.Body)
		}
	}
}
