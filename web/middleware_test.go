package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/web/webtest"
)

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for _, path := range []string{"/", "/login", "/nowhere", "/healthz", "/settings/providers", "/static/none"} {
		h := s.Admin.Get(path).Header
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'") ||
			!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: got policy %q", path, policy)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	tests := map[string]http.Header{
		"cross-site":            {"Sec-Fetch-Site": {"cross-site"}},
		"same site, other host": {"Sec-Fetch-Site": {"same-site"}},
		"old browser":           {"Origin": {"https://evil.example"}},
		"opaque origin":         {"Origin": {"null"}},
	}
	for name, header := range tests {
		r := s.Admin.Request(http.MethodPost, "/logout", url.Values{})
		for key, values := range header {
			r.Header[key] = values
		}
		if got := s.Admin.Do(r); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "another site") {
			t.Errorf("%s: got %d, want 403", name, got.Status)
		}
	}
	if got := s.Admin.Get("/settings/providers"); got.Status != http.StatusOK {
		t.Errorf("afterwards: got %d, want to be signed in still", got.Status)
	}
}

func TestThePublicOriginMaySendForms(t *testing.T) {
	t.Parallel()
	s := webtest.New(t, webtest.PublicURL("https://app.example"))
	// As an old browser sends it through a proxy that rewrites Host.
	r := s.Browser().Request(http.MethodPost, "/login", login(webtest.AdminEmail, webtest.Password))
	r.Header.Set("Origin", "https://app.example")
	if got := s.Browser().Do(r); got.Status != http.StatusSeeOther {
		t.Errorf("got %d, want to be signed in", got.Status)
	}
}

func TestLargeBodiesAreRefused(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	got := s.Browser().Post("/login", url.Values{"email": {strings.Repeat("x", 1<<20)}})
	if got.Status != http.StatusRequestEntityTooLarge || !strings.Contains(got.Body, "too large") {
		t.Errorf("got %d, want 413", got.Status)
	}
}

func TestLogLinesHoldNoInput(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.Browser().Get("/nowhere/canary-path?q=canary-query")
	s.Browser().Post("/login", url.Values{"email": {"canary-email@example.com"}, "password": {"canary-password"}})
	r := s.Browser().Request("CANARY-METHOD", "/", nil)
	r.Header.Set("X-Request-Id", "canary-id")
	s.Browser().Do(r)

	log := s.Log()
	if strings.Contains(strings.ToLower(log), "canary") {
		t.Errorf("the log repeats what was sent:\n%s", log)
	}
	for _, want := range []string{`"route":"POST /login"`, `"status":422`, `"method":"other"`, `"request":"q_`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}
