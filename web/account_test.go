package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/web/webtest"
)

func login(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

func TestSetupMakesOneAdmin(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.Empty())
	browser := s.Browser()

	// Until somebody owns the server, everything leads to the setup page.
	if got := browser.Follow(browser.Get("/")).Location; got != "/setup" {
		t.Errorf("the sign-in page leads to %q, want /setup", got)
	}
	link := s.SetupURL()
	page := browser.Get(link)
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "First run") {
		t.Fatalf("the printed link: got %d\n%s", page.Status, page.Body)
	}
	code := strings.SplitN(link, "token=", 2)[1]
	form := url.Values{"token": {code}, "name": {"Dana Ruiz"}, "email": {"dana@example.com"}, "password": {"a long password"}}
	done := browser.Post("/setup", form)
	if got := browser.Follow(done); got.Status != http.StatusOK || !strings.Contains(got.Body, "Try it offline") {
		t.Errorf("after setup: got %d\n%s", got.Status, got.Body)
	}

	// The code has done its work.
	form.Set("email", "eve@example.com")
	for name, got := range map[string]webtest.Response{
		"page": s.Browser().Get(link), "form": s.Browser().Post("/setup", form),
	} {
		if got.Status != http.StatusNotFound {
			t.Errorf("the %s afterwards: got %d, want 404", name, got.Status)
		}
	}
	if got := s.Browser().Post("/login", login("eve@example.com", "a long password")); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("a second admin may sign in: got %d, want 422", got.Status)
	}
	if s.SetupURL() != "" {
		t.Error("there is still a setup link")
	}
}

func TestSetupRefusesAWrongCode(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.Empty())
	browser := s.Browser()
	if got := browser.Get("/setup?token=guess"); got.Status != http.StatusForbidden {
		t.Errorf("a wrong link: got %d, want 403", got.Status)
	}
	form := url.Values{"token": {"guess"}, "name": {"Eve"}, "email": {"eve@example.com"}, "password": {"a long password"}}
	got := browser.Post("/setup", form)
	if got.Status != http.StatusForbidden || !strings.Contains(got.Body, `value="eve@example.com"`) {
		t.Errorf("a wrong code: got %d, want 403 and the form again\n%s", got.Status, got.Body)
	}
	if strings.Contains(got.Body, "a long password") {
		t.Error("the page repeats the password")
	}
	if len(browser.Cookies()) != 0 {
		t.Error("a wrong code signed somebody in")
	}
}

func TestSetupKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.Empty())
	code := strings.SplitN(s.SetupURL(), "token=", 2)[1]
	got := s.Browser().Post("/setup", url.Values{"token": {code}, "name": {`<b>Dana</b>`}, "email": {"dana"}, "password": {"short"}})
	if got.Status != http.StatusUnprocessableEntity {
		t.Fatalf("got %d, want 422", got.Status)
	}
	for _, want := range []string{`value="&lt;b&gt;Dana&lt;/b&gt;"`, `value="dana"`, "Enter an email address", "Use at least 12 characters"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("the page lacks %q\n%s", want, got.Body)
		}
	}
}

func TestSetupRace(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.Empty())
	code := strings.SplitN(s.SetupURL(), "token=", 2)[1]
	var wg sync.WaitGroup
	statuses := make([]int, 2)
	for i, email := range []string{"dana@example.com", "eve@example.com"} {
		browser := s.Browser()
		wg.Go(func() {
			form := url.Values{"token": {code}, "name": {"Somebody"}, "email": {email}, "password": {"a long password"}}
			statuses[i] = browser.Post("/setup", form).Status
		})
	}
	wg.Wait()
	if statuses[0]+statuses[1] != http.StatusSeeOther+http.StatusNotFound {
		t.Errorf("got %v, want one redirect and one 404", statuses)
	}
}

func TestSignInRenewsTheToken(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	browser := s.Browser()
	browser.Get("/login")
	planted := &http.Cookie{Name: "countersign", Value: strings.Repeat("A", 43), Path: "/"}
	browser.SetCookies(planted)
	got := browser.Post("/login", login(webtest.MemberEmail, webtest.Password))
	if got.Status != http.StatusSeeOther || got.Location != "/" {
		t.Fatalf("sign in: got %d to %q\n%s", got.Status, got.Location, got.Body)
	}
	first := browser.Cookies()
	if len(first) != 1 || first[0].Value == planted.Value {
		t.Fatalf("got cookies %v, want one with a token of the server's", first)
	}

	// Signing in again leaves nothing of the session before.
	browser.Post("/login", login(webtest.AdminEmail, webtest.Password))
	old := s.Browser()
	old.SetCookies(first...)
	if got := old.Get("/"); !strings.HasPrefix(got.Location, "/login") {
		t.Errorf("the token from before: got %d to %q, want the sign-in page", got.Status, got.Location)
	}
	for _, c := range got.Header.Values("Set-Cookie") {
		for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
			if !strings.Contains(c, want) {
				t.Errorf("the cookie lacks %s: %s", want, c)
			}
		}
	}
}

func TestCookiesAreSecureBehindTLS(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]webtest.Option{
		"https": webtest.PublicURL("https://app.example"), "declared proxy": webtest.TrustedProxy(),
	} {
		s := webtest.New(t, option)
		r := s.Browser().Request("POST", "/login", login(webtest.AdminEmail, webtest.Password))
		cookie := s.Browser().Do(r).Header.Get("Set-Cookie")
		if !strings.HasPrefix(cookie, "__Host-countersign=") || !strings.Contains(cookie, "Secure") {
			t.Errorf("%s: got cookie %q, want a secure one", name, cookie)
		}
	}
}

func TestWrongPasswordAndUnknownAddressLookTheSame(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	wrong := s.Browser().Post("/login", login(webtest.AdminEmail, "not the password"))
	unknown := s.Browser().Post("/login", login("nobody@example.com", "not the password"))
	if wrong.Status != http.StatusUnprocessableEntity || unknown.Status != wrong.Status {
		t.Errorf("got %d and %d, want 422 for both", wrong.Status, unknown.Status)
	}
	if want := strings.ReplaceAll(wrong.Body, webtest.AdminEmail, "nobody@example.com"); unknown.Body != want {
		t.Errorf("the pages differ:\n%s\n%s", want, unknown.Body)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	browser := s.Browser()
	attempt := func(email string) webtest.Response { return browser.Post("/login", login(email, "not the password")) }
	for i := range 9 { // webtest has signed in once
		if got := attempt(webtest.MemberEmail); got.Status != http.StatusUnprocessableEntity {
			t.Fatalf("attempt %d: got %d, want 422", i+1, got.Status)
		}
	}
	got := attempt(strings.ToUpper(webtest.MemberEmail))
	if got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") != "30" || !strings.Contains(got.Body, "30 seconds") {
		t.Errorf("one more: got %d, Retry-After %q", got.Status, got.Header.Get("Retry-After"))
	}
	if got := browser.Post("/login", login(webtest.MemberEmail, webtest.Password)); got.Status != http.StatusTooManyRequests {
		t.Errorf("the right password while throttled: got %d, want 429", got.Status)
	}
	s.Clock.Advance(time.Minute)
	if got := browser.Post("/login", login(webtest.MemberEmail, webtest.Password)); got.Status != http.StatusSeeOther {
		t.Errorf("a minute later: got %d, want to be signed in", got.Status)
	}
}

func TestSignInIsThrottledByNetwork(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	browser := s.Browser()
	var last webtest.Response
	for i := range 31 {
		last = browser.Post("/login", login(string(rune('a'+i))+"@example.com", "not the password"))
	}
	if last.Status != http.StatusTooManyRequests {
		t.Errorf("the 31st address from one network: got %d, want 429", last.Status)
	}
}

// Whoever tries passwords from one network does not lock their owner out of
// another, and does not get on by changing networks for ever.
func TestSignInIsNotLockedElsewhere(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.TrustedProxy())
	try := func(network int, password string) int {
		r := s.Browser().Request(http.MethodPost, "/login", login(webtest.AdminEmail, password))
		r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.%d", network))
		return s.Browser().Do(r).Status
	}
	for range 10 {
		if got := try(1, "not the password"); got != http.StatusUnprocessableEntity {
			t.Fatalf("a wrong password: got %d, want 422", got)
		}
	}
	if got := try(1, webtest.Password); got != http.StatusTooManyRequests {
		t.Errorf("from the throttled network: got %d, want 429", got)
	}
	if got := try(2, webtest.Password); got != http.StatusSeeOther {
		t.Errorf("from another network: got %d, want to be signed in", got)
	}
	last := 0
	for i := range 300 {
		if last = try(3+i/10, "not the password"); last == http.StatusTooManyRequests {
			break
		}
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("hundreds of attempts from many networks: got %d, want 429", last)
	}
}

func TestSignInLeadsBack(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	browser := s.Browser()
	if got, want := browser.Get("/settings/providers").Location, "/login?next=%2Fsettings%2Fproviders"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	form := login(webtest.AdminEmail, webtest.Password)
	form.Set("next", "/settings/providers")
	if got := browser.Post("/login", form).Location; got != "/settings/providers" {
		t.Errorf("got %q, want the page that was asked for", got)
	}
	form.Set("next", "//evil.example/")
	if got := s.Browser().Post("/login", form).Location; got != "/" {
		t.Errorf("a foreign address: got %q, want /", got)
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	kept := s.Member.Cookies()
	if got := s.Member.Post("/logout", url.Values{}); got.Location != "/login" {
		t.Fatalf("sign out: got %d to %q", got.Status, got.Location)
	}
	if len(s.Member.Cookies()) != 0 {
		t.Error("the browser keeps its cookie")
	}
	stolen := s.Browser()
	stolen.SetCookies(kept...)
	if got := stolen.Get("/"); !strings.HasPrefix(got.Location, "/login") {
		t.Errorf("the old cookie: got %d to %q, want the sign-in page", got.Status, got.Location)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	signedIn := func() bool { return s.Admin.Get("/settings/providers").Status == http.StatusOK }
	for range 4 { // a session that is used goes on
		s.Clock.Advance(6 * 24 * time.Hour)
		if !signedIn() {
			t.Fatal("a session in use ended")
		}
	}
	s.Clock.Advance(8 * 24 * time.Hour)
	if signedIn() {
		t.Error("a session that nobody used for 8 days is alive")
	}
}

func TestDisabledPeopleAreSignedOut(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Disable(webtest.MemberEmail)
	if got := s.Member.Get("/"); !strings.HasPrefix(got.Location, "/login") {
		t.Errorf("the next page: got %d to %q, want the sign-in page", got.Status, got.Location)
	}
	if got := s.Member.Post("/login", login(webtest.MemberEmail, webtest.Password)); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("sign in: got %d, want 422", got.Status)
	}
}
