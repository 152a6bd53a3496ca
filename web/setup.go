package web

import (
	"errors"
	"net/http"

	"countersign/models"
	"countersign/views"
)

// showSetup shows the form for the first admin. Without a code it can be
// typed; a wrong one gets no form.
func (s *Server) showSetup(w http.ResponseWriter, r *http.Request) error {
	code := r.URL.Query().Get("token")
	if code != "" && !s.setup.admits(code) {
		return errSetupCode
	}
	return s.render(w, r, http.StatusOK, views.Setup(setupForm{code: code}.props(nil)))
}

// submitSetup makes the first admin and signs them in. Of two at once, storage
// lets one win.
func (s *Server) submitSetup(w http.ResponseWriter, r *http.Request) error {
	form, err := parseSetup(r)
	if err != nil {
		return err
	}
	if !s.setup.admits(form.code) {
		problems := map[string]string{"token": "This is not the code that the server printed last."}
		return s.render(w, r, http.StatusForbidden, views.Setup(form.props(problems)))
	}
	first, err := s.config.DB.Users().CreateFirstAdmin(r.Context(),
		models.NewUser{Email: form.email, Name: form.name, Password: form.password})
	var invalid models.Invalid
	switch {
	case errors.As(err, &invalid):
		return s.render(w, r, http.StatusUnprocessableEntity, views.Setup(form.props(invalid)))
	case err != nil:
		return err
	}
	s.log.InfoContext(r.Context(), "first admin created", "request", requestOf(r.Context()).id, "user", string(first.ID))
	if err := s.sessions.start(w, r, first.ID); err != nil {
		return err
	}
	return s.redirect(w, r, views.WelcomeURL, "")
}
