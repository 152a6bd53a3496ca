package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/views"
	"countersign/web/livepage"
	"countersign/web/webtest"
)

var sessionLink = regexp.MustCompile(`/account/sessions/(s_[A-Za-z0-9_-]+)`)

// browserOf signs a person in with a browser that calls itself something.
func browserOf(t *testing.T, s *webtest.Server, email, agent string) *webtest.Client {
	t.Helper()
	c := s.Browser()
	r := c.Request(http.MethodPost, "/login", login(email, webtest.Password))
	r.Header.Set("User-Agent", agent)
	if got := c.Do(r); got.Status != http.StatusSeeOther {
		t.Fatalf("sign in: got %d\n%s", got.Status, got.Body)
	}
	return c
}

func signedIn(c *webtest.Client) bool { return c.Get("/account").Status == http.StatusOK }

func aliveOf(list []*webtest.Client) int {
	n := 0
	for _, c := range list {
		if signedIn(c) {
			n++
		}
	}
	return n
}

func TestPeopleRenameThemselves(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	got := s.Member.Follow(s.Member.Post("/account", url.Values{"name": {"  Max <b>M</b> "}}))
	if !strings.Contains(got.Body, "Saved.") || !strings.Contains(got.Body, `value="Max &lt;b&gt;M&lt;/b&gt;"`) {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	wrong := s.Member.Post("/account", url.Values{"name": {strings.Repeat("x", 101)}})
	if wrong.Status != http.StatusUnprocessableEntity || !strings.Contains(wrong.Body, "Enter a name") || !strings.Contains(wrong.Body, strings.Repeat("x", 101)) {
		t.Errorf("a name that is too long: got %d", wrong.Status)
	}
	if page := s.Admin.Get("/settings/people").Body; !strings.Contains(page, "Max &lt;b&gt;M&lt;/b&gt;") {
		t.Error("others do not see the new name")
	}
}

func TestPasswordChange(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	other := s.SignIn(webtest.MemberEmail)
	change := func(current, next string) webtest.Response {
		return s.Member.Post("/account/password", url.Values{"current": {current}, "password": {next}})
	}
	for want, got := range map[string]webtest.Response{
		"This is not your current password.": change("not the password", "a new long password"),
		"Use at least 12 characters.":        change(webtest.Password, "short"),
	} {
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, want) || strings.Contains(got.Body, "a new long password") {
			t.Errorf("%s: got %d\n%s", want, got.Status, got.Body)
		}
	}
	if !signedIn(other) {
		t.Fatal("a refused change signed another browser out")
	}
	if got := s.Member.Follow(change(webtest.Password, "a new long password")); !strings.Contains(got.Body, "The password was changed.") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	if signedIn(other) || !signedIn(s.Member) || !signedIn(s.Admin) {
		t.Error("want the other browser signed out, this one and those of others not")
	}
	for password, want := range map[string]int{webtest.Password: http.StatusUnprocessableEntity, "a new long password": http.StatusSeeOther} {
		if got := s.Browser().Post("/login", login(webtest.MemberEmail, password)); got.Status != want {
			t.Errorf("sign in with %q: got %d, want %d", password, got.Status, want)
		}
	}
}

// Whoever took over a browser can't try passwords faster there.
func TestPasswordChangeIsThrottled(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	var got webtest.Response
	for range 10 { // webtest has signed in once
		got = s.Member.Post("/account/password", url.Values{"current": {"guess"}, "password": {"a new long password"}})
	}
	if got.Status != http.StatusTooManyRequests {
		t.Errorf("got %d, want 429", got.Status)
	}
}

func TestSignedInBrowsers(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	var others []*webtest.Client
	for _, name := range []string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		`<script>alert(1)</script>` + strings.Repeat("W", 3000) + "\u202e",
	} {
		others = append(others, browserOf(t, s, webtest.MemberEmail, name))
	}
	page := s.Member.Get("/account").Body
	for _, want := range []string{"Safari on iPhone", "Firefox on Linux", "&lt;script&gt;alert(1)&lt;", "This browser", "Go-http-client"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "140.0") || strings.Contains(page, strings.Repeat("W", 50)) || strings.Contains(page, "<script>alert") {
		t.Error("the page shows more of a browser than its name")
	}
	links := sessionLink.FindAllStringSubmatch(page, -1)
	if len(links) != 3 {
		t.Fatalf("%d browsers can be signed out, want the 3 others", len(links))
	}

	if got := s.Admin.Post(links[0][0], url.Values{}); got.Status != http.StatusNotFound {
		t.Errorf("by somebody else: got %d, want 404", got.Status)
	}
	if got := s.Member.Post(links[0][0], url.Values{}); got.Location != "/account" {
		t.Errorf("sign out of another: got %d", got.Status)
	}
	if alive := aliveOf(others); alive != 2 {
		t.Errorf("%d of the 3 others are signed in, want 2", alive)
	}
	if got := s.Member.Post(links[0][0], url.Values{}); got.Status != http.StatusNotFound {
		t.Errorf("a second time: got %d, want 404", got.Status)
	}
	if got := s.Member.Follow(s.Member.Post("/account/sessions", url.Values{})); len(sessionLink.FindAllString(got.Body, -1)) != 0 || !strings.Contains(got.Body, "This browser") {
		t.Errorf("after signing all others out: got %d\n%s", got.Status, got.Body)
	}
	if aliveOf(others) != 0 || !signedIn(s.Member) || !signedIn(s.Admin) {
		t.Error("want the others signed out, this browser and those of others not")
	}
}

// A browser that has slept for too long is not listed as signed in.
func TestIdleBrowsersAreNotListed(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Clock.Advance(5 * 24 * time.Hour)
	other := s.SignIn(webtest.MemberEmail)
	s.Clock.Advance(3 * 24 * time.Hour)
	if page := other.Get("/account").Body; sessionLink.MatchString(page) {
		t.Error("a session that has ended is listed")
	}
}

func TestSignOutOfABrowserClosesItsSockets(t *testing.T) {
	t.Parallel()
	d := answered(t)
	other := d.s.SignIn(webtest.AdminEmail)
	here, there := d.open(), open(t, d.s, other, d.url())
	d.agree(here, there)
	link := sessionLink.FindString(d.s.Admin.Get("/account").Body)
	d.post(link, url.Values{})
	if code, err := there.Closed(within); code != 4401 {
		t.Errorf("closed with %d (%v), want 4401", code, err)
	}
	d.post(views.TitleURL(d.id), url.Values{"title": {"Still followed"}})
	if err := here.Until(within, func(p *livepage.Page) bool { return p.Text(views.IDBarTitle) == "Still followed" }); err != nil {
		t.Errorf("this browser's page: %v", err)
	}
}
