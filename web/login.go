package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"countersign/models"
	"countersign/views"
)

// How fast passwords may be tried: for one account from one network a handful
// at once, then a few a minute. The limit on an account from anywhere is so
// wide that nobody locks its person out from one place.
const (
	targetBurst  = 10
	targetEvery  = 30 * time.Second
	networkBurst = 30
	networkEvery = 5 * time.Second
	accountBurst = 300
	accountEvery = 10 * time.Second
)

// wrongLogin is one sentence for a wrong password, an unknown address and a
// disabled account, so that nobody learns which accounts exist.
const wrongLogin = "This email and password do not match an account that may sign in."

// showLogin shows the sign-in form.
func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) error {
	if _, ok := currentUser(r.Context()); ok {
		return s.redirect(w, r, views.HomeURL, "")
	}
	if empty, err := s.setup.open(r.Context()); err != nil || empty {
		if err != nil {
			return err
		}
		return s.redirect(w, r, views.SetupURL, "")
	}
	next := localAddress(r.URL.Query().Get("next"))
	return s.render(w, r, http.StatusOK, views.Login(views.LoginProps{Next: next}))
}

// submitLogin signs a person in with a fresh session.
func (s *Server) submitLogin(w http.ResponseWriter, r *http.Request) error {
	form, err := parseLogin(r)
	if err != nil {
		return err
	}
	if err := s.slowDown(r, form.email); err != nil {
		return err
	}
	user, err := s.config.DB.Users().Authenticate(r.Context(), form.email, form.password)
	if errors.Is(err, models.ErrCredentials) || errors.Is(err, models.ErrDisabled) {
		props := views.LoginProps{Email: form.email, Next: form.next, Error: wrongLogin}
		return s.render(w, r, http.StatusUnprocessableEntity, views.Login(props))
	}
	if err != nil {
		return err
	}
	if form.next == "" {
		form.next = views.HomeURL
	}
	return s.signIn(w, r, user, form.next)
}

// signIn starts a session and leads to an address. A session that the browser
// had before ends.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request, user models.User, address string) error {
	if v, ok := r.Context().Value(visitKey).(visit); ok {
		if err := s.sessions.end(r.Context(), v.signIn); err != nil {
			return err
		}
	}
	if err := s.sessions.start(w, r, user.ID); err != nil {
		return err
	}
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// slowDown counts an attempt to sign in, for the network it comes from, for the
// account it aims at from there, and for the account, and refuses it if there
// were too many. A refused attempt costs no hashing.
func (s *Server) slowDown(r *http.Request, email string) error {
	now := s.config.Now()
	network, account := s.clientNetwork(r), strings.ToLower(email)
	wait := s.networks.take(network, now)
	if wait == 0 {
		wait = s.targets.take(network+" "+account, now)
	}
	if wait == 0 {
		wait = s.accounts.take(account, now)
	}
	if wait > 0 {
		return &throttledError{wait: wait}
	}
	return nil
}

// signOut ends the session and with it the sockets it opened.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit) // the route asks for one
	if err := s.sessions.end(r.Context(), v.signIn); err != nil {
		return err
	}
	s.sessions.clearCookie(w, r)
	http.Redirect(w, r, views.LoginURL, http.StatusSeeOther)
	return nil
}
