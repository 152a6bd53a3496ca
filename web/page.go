package web

import (
	"context"
	"errors"
	"net/http"

	"countersign/agent"
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
		// On a full disk the page can still be read, and so can its notice.
		if err := s.sessions.dropNotice(r.Context(), v.token); err != nil && !errors.Is(err, agent.ErrFull) {
			return views.Page{}, err
		}
	}
	var err error
	if page.Needs, err = s.config.DB.Conversations().NeedsYou(r.Context(), v.user.ID); err != nil {
		return views.Page{}, err
	}
	if !section.Settings() {
		if page.Rows, page.Older, err = s.sidebar(r.Context(), v.user.ID); err != nil {
			return views.Page{}, err
		}
	}
	return page, nil
}

// sidebar returns the conversations that the sidebar lists, and the cursor of
// those after them.
func (s *Server) sidebar(ctx context.Context, user agent.UserID) ([]views.NavRow, string, error) {
	list, older, err := s.config.DB.Conversations().List(ctx, user, "", sidebarRows)
	return navRows(list), older, err
}

func navRows(list []models.Conversation) []views.NavRow {
	rows := make([]views.NavRow, len(list))
	for i, c := range list {
		rows[i] = views.NavRow{ID: c.ID, Title: c.Title, Status: c.Status, UpdatedAt: c.UpdatedAt}
	}
	return rows
}

func markCurrent(rows []views.NavRow, id agent.ConversationID) {
	for i := range rows {
		rows[i].Current = rows[i].ID == id
	}
}

// sidebarRows is how many conversations the sidebar lists.
const sidebarRows = 50
