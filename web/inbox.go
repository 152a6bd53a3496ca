package web

import (
	"context"
	"net/http"

	"countersign/agent"
	"countersign/views"
)

// inboxCards is how many cards the inbox shows at once.
const inboxCards = 30

// showInbox shows everything that waits for a person.
func (s *Server) showInbox(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	items, more, err := s.waiting(r.Context(), s.scene(v, ""))
	if err != nil {
		return err
	}
	page, err := s.page(r, "Inbox", views.SectionInbox)
	if err != nil {
		return err
	}
	page.Narrow = true
	return s.render(w, r, http.StatusOK, views.Inbox(views.InboxProps{Page: page, Items: items, More: more}))
}

// waiting returns the cards that wait for a person, the soonest to expire
// first, and how many more there are. Each is read from its own run alone.
func (s *Server) waiting(ctx context.Context, scene views.Scene) (items []views.InboxItem, more int, err error) {
	conversations := s.config.DB.Conversations()
	list, err := conversations.Waiting(ctx, scene.Viewer.User, inboxCards)
	if err != nil {
		return nil, 0, err
	}
	for _, n := range list {
		var t agent.Timeline
		for r, err := range s.journal.ReadRun(ctx, n.Conversation, n.Run) {
			if err != nil {
				return nil, 0, err
			}
			t.Apply(r)
		}
		run := t.Run(n.Run)
		if run == nil || run.Item(string(n.Interaction)) == nil {
			continue // decided and erased in between
		}
		own := scene
		own.Conversation = n.Conversation
		items = append(items, views.InboxItem{Scene: own, Title: n.Title, Run: run, Item: run.Item(string(n.Interaction))})
	}
	if len(list) == inboxCards {
		all, err := conversations.NeedsYou(ctx, scene.Viewer.User)
		if err != nil {
			return nil, 0, err
		}
		more = max(0, all-len(list))
	}
	return items, more, nil
}
