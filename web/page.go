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
	if section == views.SectionNew || section == views.SectionConversation {
		list, _, err := s.config.DB.Conversations().List(r.Context(), v.user.ID, "", sidebarRows)
		if err != nil {
			return views.Page{}, err
		}
		for _, c := range list {
			page.Rows = append(page.Rows, views.NavRow{ID: c.ID, Title: c.Title, Status: c.Status, UpdatedAt: c.UpdatedAt})
		}
	}
	return page, nil
}

// sidebarRows is how many conversations the sidebar lists.
const sidebarRows = 50
