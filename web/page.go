package web

import (
	"net/http"

	"countersign/models"
	"countersign/views"
)

// page fills what every page of a signed-in person needs. It takes the notice
// that the last redirect left: call it only for a page that will be shown.
func (s *Server) page(r *http.Request, title string, section views.Section) (views.Page, error) {
	v, _ := r.Context().Value(visitKey).(visit)
	page := views.Page{
		Title:   title,
		User:    views.User{Name: v.user.Name, Admin: v.user.Role == models.RoleAdmin},
		Section: section,
		Now:     s.config.Now(),
	}
	if cookie, err := r.Cookie(views.ThemeCookie); err == nil {
		page.Theme = views.ThemeOf(cookie.Value)
	}
	if v.notice != "" {
		page.Flash = &views.Notice{Tone: views.ToneOK, Title: v.notice}
		if err := s.sessions.dropNotice(r.Context(), v.token); err != nil {
			return views.Page{}, err
		}
	}
	return page, nil
}
