package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/web/api"
	"countersign/web/webtest"
)

var tokenOnPage = regexp.MustCompile(`cba_[A-Za-z0-9_-]{43}`)

// createKey makes a key with the form, and returns its token.
func createKey(t *testing.T, c *webtest.Client, name string, scopes ...string) string {
	t.Helper()
	form := url.Values{"name": {name}, "days": {"30"}}
	for _, s := range scopes {
		form.Set(s, "on")
	}
	res := c.Post("/settings/keys", form)
	token := tokenOnPage.FindString(res.Body)
	if res.Status != http.StatusOK || token == "" {
		t.Fatalf("create a key: %d\n%s", res.Status, res.Body)
	}
	return token
}

func TestKeysAreShownOnce(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	token := createKey(t, s.Member, "Intake form", "read", "run")
	key, _, err := s.DB.APIKeys().Use(t.Context(), models.NewSecret(token))
	if err != nil || key.Name != "Intake form" || !key.May(models.ScopeRun) || key.May(models.ScopeDecide) {
		t.Errorf("got %+v, %v", key, err)
	}
	if want := s.Clock.Now().Add(30 * 24 * time.Hour); !key.ExpiresAt.Equal(want) {
		t.Errorf("it ends at %v, want %v", key.ExpiresAt, want)
	}
	for _, c := range []*webtest.Client{s.Member, s.Admin} {
		page := c.Get("/settings/keys").Body
		if strings.Contains(page, token) || !strings.Contains(page, key.Prefix) || !strings.Contains(page, "Intake form") {
			t.Errorf("the list is not right:\n%s", page)
		}
	}
	if strings.Contains(s.Log(), token) {
		t.Error("the log holds the token")
	}
}

func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	createKey(t, s.Admin, "Of the admin", "admin")
	createKey(t, s.Member, "Of the member", "read")
	if page := s.Member.Get("/settings/keys").Body; strings.Contains(page, "Of the admin") {
		t.Error("a member sees somebody else's key")
	}
	list, err := s.DB.APIKeys().List(t.Context(), "")
	if err != nil || len(list) != 2 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, k := range list {
		path := "/settings/keys/" + string(k.ID) + "/revoke"
		want := http.StatusNotFound
		if k.Name == "Of the member" {
			want = http.StatusOK
		}
		if got := s.Member.Get(path); got.Status != want {
			t.Errorf("%s, for the member: got %d, want %d", k.Name, got.Status, want)
		}
		if want == http.StatusNotFound {
			if got := s.Member.Post(path, nil); got.Status != want {
				t.Errorf("a member revokes the admin's: got %d", got.Status)
			}
		}
		if got := s.Admin.Follow(s.Admin.Post(path, url.Values{})); !strings.Contains(got.Body, "was revoked") {
			t.Errorf("an admin revokes %s: got %d", k.Name, got.Status)
		}
	}
	if list, err := s.DB.APIKeys().List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("left are %+v, %v", list, err)
	}
}

func TestKeyFormIsRefused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for says, form := range map[string]url.Values{
		"Enter a name":                   {"read": {"on"}},
		"Choose what the key may do":     {"name": {"x"}},
		"Only the key of an admin":       {"name": {"x"}, "admin": {"on"}},
		"The form could not be read":     {"name": {"x"}, "read": {"on"}, "days": {"soon"}},
		"The form could not be read\x20": {"name": {"x"}, "read": {"on"}, "days": {"-1"}},
	} {
		if got := s.Member.Post("/settings/keys", form); got.Status/100 != 4 || !strings.Contains(got.Body, strings.TrimSpace(says)) {
			t.Errorf("%s: got %d", says, got.Status)
		}
	}
	if list, err := s.DB.APIKeys().List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("there are %+v, %v", list, err)
	}
}

// The page for programs says everything that the document says is there.
func TestReferenceIsWhole(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := s.Member.Get("/help/api")
	if page.Status != http.StatusOK || !strings.Contains(page.Body, "/v2/openapi.json") {
		t.Fatalf("got %d", page.Status)
	}
	for path, item := range api.Document()["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if !strings.Contains(page.Body, strings.ToUpper(method)+" "+path) {
				t.Errorf("%s %s is not on the page", method, path)
			}
		}
	}
}
