package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
	"countersign/web/webtest"
)

func disable(c *webtest.Client, id agent.UserID, disabled string) webtest.Response {
	return c.Post(views.PersonAccessURL(id), url.Values{"disabled": {disabled}})
}

func setRole(c *webtest.Client, id agent.UserID, role string) webtest.Response {
	return c.Post(views.PersonURL(id), url.Values{"role": {role}})
}

func userOf(t *testing.T, s *webtest.Server, email string) models.User {
	t.Helper()
	u, err := s.DB.Users().Get(t.Context(), userID(t, s, email))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPeopleAreListed(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := s.Admin.Get("/settings/people").Body
	for _, want := range []string{"Ada Admin", webtest.AdminEmail, "(you)", "Max Member", webtest.MemberEmail, "Now"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q\n%s", want, page)
		}
	}
	s.Disable(webtest.MemberEmail)
	if page := s.Admin.Get("/settings/people").Body; !strings.Contains(page, "Disabled") {
		t.Error("the page does not say who is disabled")
	}
}

func TestRoleChangesAtOnce(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	member := userID(t, s, webtest.MemberEmail)
	if got := s.Admin.Follow(setRole(s.Admin, member, "admin")); !strings.Contains(got.Body, "Saved.") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	if got := s.Member.Get("/settings/people"); got.Status != http.StatusOK {
		t.Errorf("a new admin: got %d, want the page", got.Status)
	}
	if got := setRole(s.Member, userID(t, s, webtest.AdminEmail), "member"); got.Status != http.StatusSeeOther {
		t.Errorf("a new admin demotes the old one: got %d", got.Status)
	}
	if got := s.Admin.Get("/settings/people"); got.Status != http.StatusForbidden {
		t.Errorf("the old admin: got %d, want 403", got.Status)
	}
	for _, role := range []string{"", "owner", "ADMIN"} {
		if got := setRole(s.Member, member, role); got.Status != http.StatusUnprocessableEntity {
			t.Errorf("role %q: got %d, want 422", role, got.Status)
		}
	}
}

func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	admin := userID(t, s, webtest.AdminEmail)
	if got := setRole(s.Admin, admin, "member"); got.Status != http.StatusConflict || !strings.Contains(got.Body, "last admin") {
		t.Errorf("demote: got %d\n%s", got.Status, got.Body)
	}
	if got := disable(s.Admin, admin, "true"); got.Status != http.StatusUnprocessableEntity || !strings.Contains(got.Body, "disable yourself") {
		t.Errorf("disable oneself: got %d\n%s", got.Status, got.Body)
	}
	if page := s.Admin.Get(views.PersonURL(admin)).Body; !strings.Contains(page, "Somebody else has to be one") || !strings.Contains(page, "disable yourself") {
		t.Errorf("the page does not say why\n%s", page)
	}
	if !signedIn(s.Admin) {
		t.Error("the last admin is signed out")
	}
}

// Two admins who disable or demote each other at once leave one.
func TestLastAdminRace(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(*webtest.Client, agent.UserID) webtest.Response{
		"disable": func(c *webtest.Client, id agent.UserID) webtest.Response { return disable(c, id, "true") },
		"demote":  func(c *webtest.Client, id agent.UserID) webtest.Response { return setRole(c, id, "member") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := webtest.New(t)
			ada, max := userID(t, s, webtest.AdminEmail), userID(t, s, webtest.MemberEmail)
			for range 10 {
				for _, id := range []agent.UserID{ada, max} {
					if err := s.DB.Users().SetDisabled(t.Context(), id, false); err != nil {
						t.Fatal(err)
					}
					if err := s.DB.Users().SetRole(t.Context(), id, models.RoleAdmin); err != nil {
						t.Fatal(err)
					}
				}
				s.Clock.Advance(time.Hour) // signing in is throttled
				first, second := s.SignIn(webtest.AdminEmail), s.SignIn(webtest.MemberEmail)
				var wg sync.WaitGroup
				wg.Go(func() { strike(first, max) })
				wg.Go(func() { strike(second, ada) })
				wg.Wait()
				admins := 0
				for _, email := range []string{webtest.AdminEmail, webtest.MemberEmail} {
					if u := userOf(t, s, email); u.Role == models.RoleAdmin && !u.Disabled {
						admins++
					}
				}
				if admins != 1 {
					t.Fatalf("%d admins are left, want 1", admins)
				}
			}
		})
	}
}

// Disabling ends sessions and sockets at once; enabling lets the person sign
// in again, and brings no session back.
func TestDisabling(t *testing.T) {
	t.Parallel()
	d := answered(t)
	root := d.s.SignIn(webtest.AdminEmail)
	ada := userID(t, d.s, webtest.AdminEmail)
	tabs := []interface {
		Closed(time.Duration) (int, error)
	}{d.open(), open(t, d.s, root, d.url())}
	if got := setRole(d.s.Admin, userID(t, d.s, webtest.MemberEmail), "admin"); got.Status != http.StatusSeeOther {
		t.Fatalf("make another admin: got %d", got.Status)
	}
	if got := d.s.Member.Follow(disable(d.s.Member, ada, "true")); !strings.Contains(got.Body, "Ada Admin is disabled and signed out.") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	for _, tab := range tabs {
		if code, err := tab.Closed(within); code != 4403 {
			t.Errorf("a page was closed with %d (%v), want 4403", code, err)
		}
	}
	if signedIn(d.s.Admin) || signedIn(root) {
		t.Error("a disabled person is signed in")
	}
	if got := d.s.Member.Follow(disable(d.s.Member, ada, "false")); !strings.Contains(got.Body, "Ada Admin can sign in again.") {
		t.Errorf("got %d\n%s", got.Status, got.Body)
	}
	if signedIn(d.s.Admin) || signedIn(root) {
		t.Error("a session came back")
	}
	if got := d.s.Browser().Post("/login", login(webtest.AdminEmail, webtest.Password)); got.Status != http.StatusSeeOther {
		t.Errorf("sign in: got %d", got.Status)
	}
}

// Nothing goes on in the name of a person who was disabled, whether it works
// or waits; what they had in the queue stays.
func TestDisablingStopsRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		begun  func(*dialogue)
	}{
		"stream": {"text \"So far.\"\ngate half\ntext \" More.\"\nfinish stop", func(d *dialogue) { d.up.Reached("half") }},
		"card":   {writing, func(d *dialogue) { d.until(agent.StatusWaitingApproval) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDialogue(t, c.script, setting{})
			d.send("Do it.")
			c.begun(d)
			d.send("And then?")
			if got := setRole(d.s.Admin, userID(t, d.s, webtest.MemberEmail), "admin"); got.Status != http.StatusSeeOther {
				t.Fatalf("make another admin: got %d", got.Status)
			}
			ada := userID(t, d.s, webtest.AdminEmail)
			if page := d.s.Member.Get(views.PersonURL(ada)).Body; strings.Contains(page, `value="true"`) || !strings.Contains(page, views.PersonAccessURL(ada)) {
				t.Errorf("the page of the person disables them at one click\n%s", page)
			}
			if asked := d.s.Member.Get(views.PersonAccessURL(ada)).Body; !strings.Contains(asked, "Disable this person?") || !strings.Contains(asked, "1 run of theirs will be stopped") {
				t.Errorf("the question:\n%s", asked)
			}
			if got := disable(d.s.Member, ada, "true"); got.Status != http.StatusSeeOther {
				t.Fatalf("disable: got %d\n%s", got.Status, got.Body)
			}
			head, err := d.s.DB.Journal().Head(t.Context(), d.id)
			if err != nil {
				t.Fatal(err)
			}
			if head.Run.Status != agent.StatusCancelled || len(head.Run.Open) != 0 || len(head.Queue) != 1 {
				t.Errorf("the run is %s with %d cards and %d messages in the queue, want it cancelled with none and one",
					head.Run.Status, len(head.Run.Open), len(head.Queue))
			}
			by := ""
			for r, err := range d.s.DB.Journal().Read(t.Context(), d.id, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if finished, ok := r.Event.(agent.RunFinished); ok && finished.By != nil {
					by = finished.By.Name
				}
			}
			if by != "Max Member" {
				t.Errorf("it was stopped by %q, want the admin", by)
			}
			if name == "stream" {
				d.up.Release("half")
			}
		})
	}
}
