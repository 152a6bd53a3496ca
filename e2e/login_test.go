package e2e_test

import (
	"net/http"
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
