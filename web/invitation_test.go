package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/models"
	"countersign/web/webtest"
)

var inviteLink = regexp.MustCompile(`<code class="link" data-source>([^<]*)</code>`)

// inviteLea has the admin invite somebody and returns the link's path.
func inviteLea(t *testing.T, s *webtest.Server, role string) string {
	t.Helper()
	got := s.Admin.Post("/settings/people/invite", url.Values{"email": {"lea@example.com"}, "name": {"Lea"}, "role": {role}})
	m := inviteLink.FindStringSubmatch(got.Body)
	if got.Status != http.StatusOK || m == nil {
		t.Fatalf("invite: got %d\n%s", got.Status, got.Body)
	}
	path, ok := strings.CutPrefix(html.UnescapeString(m[1]), s.URL)
	if !ok {
		t.Fatalf("the link %s does not lead to %s", m[1], s.URL)
	}
	return path
}

func acceptance(link string) url.Values {
	return url.Values{"token": {strings.SplitN(link, "token=", 2)[1]}, "name": {"Lea W"}, "password": {webtest.Password}}
}

func TestInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	link := inviteLea(t, s, "member")
	if page := s.Admin.Get("/settings/people").Body; !strings.Contains(page, "lea@example.com") || !strings.Contains(page, "not accepted yet") || strings.Contains(page, acceptance(link).Get("token")) {
		t.Errorf("the list lacks the invitation, or shows its secret\n%s", page)
	}
	browser := s.Browser()
	if page := browser.Get(link); page.Status != http.StatusOK || !strings.Contains(page.Body, `value="lea@example.com"`) || !strings.Contains(page.Body, `value="Lea"`) {
		t.Fatalf("the link: got %d\n%s", page.Status, page.Body)
	}
	form := acceptance(link)
	form.Set("password", "short")
	form.Set("email", "root@example.com")
	form.Set("role", "admin")
	if got := browser.Post("/invite", form); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "Use at least 12 characters.") || !strings.Contains(got.Body, `value="Lea W"`) {
		t.Errorf("a short password: got %d\n%s", got.Status, got.Body)
	}
	form.Set("password", webtest.Password)
	if got := browser.Post("/invite", form); got.Status != http.StatusSeeOther || !signedIn(browser) {
		t.Fatalf("accept: got %d\n%s", got.Status, got.Body)
	}
	if u := userOf(t, s, "lea@example.com"); u.Role != models.RoleMember || u.Name != "Lea W" {
		t.Errorf("got %+v; an invitation decides the address and the role", u)
	}
	for name, got := range map[string]webtest.Response{"page": s.Browser().Get(link), "form": s.Browser().Post("/invite", acceptance(link))} {
		if got.Status != http.StatusNotFound || !strings.Contains(got.Body, "This invitation is not valid") {
			t.Errorf("the %s afterwards: got %d", name, got.Status)
		}
	}
	if strings.Contains(s.Log(), form.Get("token")) {
		t.Error("the log holds the secret")
	}
}

func TestInvitationLeadsToThePublicAddress(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.PublicURL("https://agents.example"))
	browser := s.Browser()
	cookie, _, _ := strings.Cut(browser.Post("/login", login(webtest.AdminEmail, webtest.Password)).Header.Get("Set-Cookie"), ";")
	r := browser.Request(http.MethodPost, "/settings/people/invite", url.Values{"email": {"lea@example.com"}, "role": {"member"}})
	r.Header.Set("Cookie", cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if got := browser.Do(r); !strings.Contains(got.Body, "https://agents.example/invite?token=") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
}

func TestInvitationEnds(t *testing.T) {
	t.Parallel()
	withdraw := regexp.MustCompile(`/settings/invitations/[A-Za-z0-9_-]+`)
	for name, end := range map[string]func(*testing.T, *webtest.Server){
		"withdrawn": func(t *testing.T, s *webtest.Server) {
			got := s.Admin.Post(withdraw.FindString(s.Admin.Get("/settings/people").Body), url.Values{})
			if page := s.Admin.Follow(got).Body; !strings.Contains(page, "was withdrawn") || strings.Contains(page, "not accepted yet") {
				t.Errorf("the list still shows it\n%s", page)
			}
		},
		"over":       func(_ *testing.T, s *webtest.Server) { s.Clock.Advance(models.InvitationLasts) },
		"sent again": func(t *testing.T, s *webtest.Server) { inviteLea(t, s, "member") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			link := inviteLea(t, s, "admin")
			end(t, s)
			for what, got := range map[string]webtest.Response{"page": s.Browser().Get(link), "form": s.Browser().Post("/invite", acceptance(link))} {
				if got.Status != http.StatusNotFound {
					t.Errorf("the %s: got %d, want 404", what, got.Status)
				}
			}
		})
	}
}

func TestInvitationRace(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	link := inviteLea(t, s, "admin")
	statuses := make([]int, 4)
	var wg sync.WaitGroup
	for i := range statuses {
		browser := s.Browser()
		wg.Go(func() { statuses[i] = browser.Post("/invite", acceptance(link)).Status })
	}
	wg.Wait()
	won := 0
	for _, status := range statuses {
		if status == http.StatusSeeOther {
			won++
		} else if status != http.StatusNotFound {
			t.Errorf("got %d, want 404", status)
		}
	}
	if won != 1 {
		t.Errorf("%d accepted the invitation, want 1", won)
	}
}

func TestInvitationIsRefused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for want, form := range map[string]url.Values{
		"This email address is taken.": {"email": {strings.ToUpper(webtest.MemberEmail)}, "role": {"member"}},
		"Enter an email address":       {"email": {`"><b>lea`}, "role": {"member"}},
		"Choose a role.":               {"email": {"lea@example.com"}, "role": {"owner"}},
	} {
		got := s.Admin.Post("/settings/people/invite", form)
		if got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, html.EscapeString(form.Get("email"))) {
			t.Errorf("%s: got %d\n%s", want, got.Status, got.Body)
		}
	}
	for _, link := range []string{"/invite", "/invite?token=", "/invite?token=GUESS"} {
		if got := s.Browser().Get(link); got.Status != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", link, got.Status)
		}
	}
}

// Somebody who is signed in and opens a link leaves their session behind.
func TestInvitationReplacesASession(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Clock.Advance(time.Minute)
	link := inviteLea(t, s, "member")
	before := s.Member.Cookies()
	if got := s.Member.Post("/invite", acceptance(link)); got.Status != http.StatusSeeOther {
		t.Fatalf("accept: got %d", got.Status)
	}
	if page := s.Member.Get("/account").Body; !strings.Contains(page, "lea@example.com") {
		t.Error("the browser is not signed in as the new person")
	}
	old := s.Browser()
	old.SetCookies(before...)
	if signedIn(old) {
		t.Error("the session before is alive")
	}
}
