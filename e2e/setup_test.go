package e2e_test

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// The person that setUp makes.
const (
	adminName     = "Ada Admin"
	adminEmail    = "ada@example.com"
	adminPassword = "correct horse battery staple"
)

// setUp creates the first admin in the browser, who is signed in on p after.
func setUp(t *testing.T, s *server, p *page) {
	t.Helper()
	p.visit(s.SetupURL(), http.StatusOK)
	for label, value := range map[string]string{"Your name": adminName, "Email": adminEmail, "Password": adminPassword} {
		if err := p.GetByLabel(label).Fill(value); err != nil {
			t.Fatalf("fill in %s: %v", label, err)
		}
	}
	if err := p.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Create the admin account"}).Click(); err != nil {
		t.Fatal(err)
	}
	if err := expect.Page(p).ToHaveURL("/welcome"); err != nil {
		t.Fatal(err)
	}
}

// expect waits up to ten seconds for what it is told to expect.
var expect = playwright.NewPlaywrightAssertions(10_000)

func TestFirstStart(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	p.visit(s.SetupURL(), http.StatusOK)
	p.wantAccessible()
	setUp(t, s, p)
	p.wantAccessible()
}

func TestServerComesBack(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := newPage(t, s.url)
	setUp(t, s, p)

	p.allow("WebSocket|ERR_CONNECTION") // the page finds out that the server is away
	s.Stop()
	s.Restart()
	p.visit("/", http.StatusOK)

	s.Kill()
	s.Restart()
	p.another().visit("/", http.StatusOK)
}
