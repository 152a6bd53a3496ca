package web

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"countersign/models"
	"countersign/views"
)

// A loginForm is what the sign-in page sends.
type loginForm struct {
	email    string
	password models.Secret
	next     string // local, "" for the start
}

func parseLogin(r *http.Request) (loginForm, error) {
	if err := readForm(r); err != nil {
		return loginForm{}, err
	}
	return loginForm{
		email:    strings.TrimSpace(r.PostFormValue("email")),
		password: models.NewSecret(r.PostFormValue("password")),
		next:     localAddress(r.PostFormValue("next")),
	}, nil
}

// loginURL leads to the sign-in page and from there back to an address of this
// server.
func loginURL(next string) string {
	if next = localAddress(next); next == "" || next == views.HomeURL {
		return views.LoginURL
	}
	return views.LoginURL + "?next=" + url.QueryEscape(next)
}

// localAddress returns the address if it is a path of this server, otherwise
// "". Browsers read a backslash as a slash and drop control characters, so
// whatever holds one is not taken for a path.
func localAddress(address string) string {
	if !strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//") || len(address) > 2048 || !utf8.ValidString(address) {
		return ""
	}
	if strings.ContainsFunc(address, func(c rune) bool { return c < 0x20 || c == 0x7f || c == '\\' }) {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil {
		return ""
	}
	return address
}
