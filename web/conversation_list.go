package web

import (
	"net/http"

	"countersign/views"
)

// listConversations shows a part of the conversations of a person, or of
// those in the archive.
func (s *Server) listConversations(w http.ResponseWriter, r *http.Request) error {
	user, _ := currentUser(r.Context())
	query := r.URL.Query()
	list, section, title := s.config.DB.Conversations().List, views.SectionList, "Conversations"
	archived := query.Get("archived") == "true"
	if archived {
		list, section, title = s.config.DB.Conversations().Archive, views.SectionArchive, "Archived conversations"
	}
	part, older, err := list(r.Context(), user.ID, query.Get("after"), sidebarRows)
	if err != nil {
		return err
	}
	settings, err := s.config.DB.Settings(r.Context())
	if err != nil {
		return err
	}
	page, err := s.page(r, title, section)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Conversations(views.ConversationsProps{
		Page: page, Archived: archived, List: navRows(part), Older: older, KeepDays: settings.KeepDays,
	}))
}
