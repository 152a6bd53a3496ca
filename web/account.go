package web

import (
	"errors"
	"net/http"

	"countersign/models"
	"countersign/views"
)

// maxGranted is how many conversations' permissions a person's page lists.
const maxGranted = 100

// showAccount shows a person's own page.
func (s *Server) showAccount(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	return s.renderAccount(w, r, http.StatusOK, user.Name, nil)
}

func (s *Server) renderAccount(w http.ResponseWriter, r *http.Request, status int, name string, problems map[string]string) error {
	v, _ := r.Context().Value(visitKey).(visit)
	list, err := s.sessions.list(r.Context(), v.user.ID)
	if err != nil {
		return err
	}
	page, err := s.page(r, "Your account", views.SectionAccount)
	if err != nil {
		return err
	}
	page.Narrow = true
	used, err := s.config.DB.Usage().Total(r.Context(), models.UsageFilter{Owner: v.user.ID, From: since(page.Now, usageDays).From})
	if err != nil {
		return err
	}
	props := views.AccountProps{Page: page, Usage: used, UsageDays: usageDays, Email: v.user.Email, Name: name, MinPassword: minPassword, Errors: problems}
	for _, n := range list {
		props.Browsers = append(props.Browsers, views.BrowserRow{
			ID: n.ID, Browser: n.Browser, Since: n.CreatedAt, UsedAt: n.UsedAt, Current: n.ID == v.id,
		})
	}
	granted, err := s.config.DB.Conversations().Granted(r.Context(), v.user.ID, maxGranted+1)
	if err != nil {
		return err
	}
	props.MoreGrants = len(granted) > maxGranted
	for _, c := range granted[:min(len(granted), maxGranted)] {
		for _, g := range c.Grants {
			props.Grants = append(props.Grants, views.GrantRow{Conversation: c.ID, Title: c.Title, Grant: g})
		}
	}
	return s.render(w, r, status, views.Account(props))
}

// rename changes a person's own name.
func (s *Server) rename(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	if err := readForm(r); err != nil {
		return err
	}
	name := r.PostFormValue("name")
	err := s.config.DB.Users().SetName(r.Context(), user.ID, name)
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return s.renderAccount(w, r, http.StatusUnprocessableEntity, name, invalid)
	}
	if err != nil {
		return err
	}
	return s.redirect(w, r, views.AccountURL, "Saved.")
}

// changePassword gives a person a new password if they know the current one.
// Every other session of theirs ends: whoever learned the old password may
// have one.
func (s *Server) changePassword(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	if err := readForm(r); err != nil {
		return err
	}
	if err := s.slowDown(r, v.user.Email); err != nil {
		return err
	}
	current, next := models.NewSecret(r.PostFormValue("current")), models.NewSecret(r.PostFormValue("password"))
	err := s.config.DB.Users().ChangePassword(r.Context(), v.user.ID, current, next)
	var invalid models.Invalid
	switch {
	case errors.Is(err, models.ErrCredentials):
		invalid = models.Invalid{"current": "This is not your current password."}
		return s.renderAccount(w, r, http.StatusUnprocessableEntity, v.user.Name, invalid)
	case errors.As(err, &invalid):
		return s.renderAccount(w, r, http.StatusUnprocessableEntity, v.user.Name, invalid)
	case err != nil:
		return err
	}
	if err := s.sessions.endAll(r.Context(), v.user.ID, v.id); err != nil {
		return err
	}
	s.log.InfoContext(r.Context(), "password changed", "request", requestOf(r.Context()).id, "user", string(v.user.ID))
	return s.redirect(w, r, views.AccountURL, "The password was changed. Other browsers are signed out.")
}

// endSession signs a person out of one of their browsers.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	if err := s.sessions.endOne(r.Context(), user.ID, r.PathValue("session")); err != nil {
		return err
	}
	return s.redirect(w, r, views.AccountURL, "That browser is signed out.")
}

// endOtherSessions signs a person out of every browser but this one.
func (s *Server) endOtherSessions(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	if err := s.sessions.endAll(r.Context(), v.user.ID, v.id); err != nil {
		return err
	}
	return s.redirect(w, r, views.AccountURL, "Every other browser is signed out.")
}
