package web

import (
	"errors"
	"net/http"

	"countersign/models"
	"countersign/views"
)

// showServer shows what is set for the whole server.
func (s *Server) showServer(w http.ResponseWriter, r *http.Request) error {
	settings, err := s.config.DB.Settings(r.Context())
	if err != nil {
		return err
	}
	return s.renderServer(w, r, http.StatusOK, serverFormOf(settings), nil)
}

// saveServer sets it, or shows again what was typed with what is wrong.
func (s *Server) saveServer(w http.ResponseWriter, r *http.Request) error {
	form, err := parseServer(r)
	if err != nil {
		return err
	}
	settings, problems := form.settings()
	var invalid models.Invalid
	if len(problems) == 0 {
		err = s.config.DB.SaveSettings(r.Context(), settings)
		if errors.As(err, &invalid) {
			problems = invalid
		} else if err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return s.renderServer(w, r, http.StatusUnprocessableEntity, form, problems)
	}
	s.log.InfoContext(r.Context(), "settings saved", "request", requestOf(r.Context()).id, "keep_days", settings.KeepDays, "user", requestOf(r.Context()).user)
	if err := s.SettingsChanged(r.Context()); err != nil {
		return err
	}
	return s.redirect(w, r, views.ServerURL, "Saved.")
}

func (s *Server) renderServer(w http.ResponseWriter, r *http.Request, status int, form serverForm, problems map[string]string) error {
	saved, err := s.config.DB.Settings(r.Context())
	if err != nil {
		return err
	}
	unused := 0
	if saved.KeepDays > 0 {
		if unused, err = s.config.DB.Conversations().Unused(r.Context(), saved.KeepDays); err != nil {
			return err
		}
	}
	page, err := s.page(r, "Server", views.SectionServer)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, status, views.Server(views.ServerForm{
		Page: page, KeepDays: form.keepDays, Unused: unused,
		PerPerson: form.perPerson, PerProvider: form.perProvider, Queue: form.queue, ToolCall: form.toolCall,
		Errors: problems,
	}))
}
