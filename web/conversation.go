package web

import (
	"context"
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// pageRuns is how many runs a page shows. Opening a conversation costs the
// same however long it is.
const pageRuns = 20

// ownConversation returns the visit and the conversation that the address
// names. One that belongs to somebody else is not found.
func (s *Server) ownConversation(r *http.Request) (visit, agent.ConversationID, error) {
	v, _ := r.Context().Value(visitKey).(visit)
	id := agent.ConversationID(r.PathValue("conversation"))
	_, err := s.ownHead(r, id)
	return v, id, err
}

// ownHead returns what is true of a conversation of the person who asks. One
// that belongs to somebody else is not found.
func (s *Server) ownHead(r *http.Request, id agent.ConversationID) (agent.Head, error) {
	user, _ := currentUser(r.Context())
	head, err := s.journal.Head(r.Context(), id)
	if err == nil && head.Owner != user.ID {
		err = agent.ErrNotFound
	}
	return head, err
}

func actorOf(u models.User) agent.Actor { return agent.Actor{User: u.ID, Name: u.Name} }

func (s *Server) scene(v visit, id agent.ConversationID) views.Scene {
	return views.Scene{
		Conversation: id, Viewer: actorOf(v.user), Admin: v.user.Role == models.RoleAdmin, Now: s.config.Now(),
	}
}

// A window is a part of a conversation, at one moment.
type window struct {
	head     agent.Head
	timeline agent.Timeline
	draft    agent.Draft
	// earlier is the first record of the window if there are runs before it,
	// else zero.
	earlier agent.Seq
}

// window reads the runs before a place, the newest ones if it is zero.
func (s *Server) window(ctx context.Context, id agent.ConversationID, before agent.Seq) (window, error) {
	// The draft comes first: what follows it reaches the page by the socket.
	w := window{draft: s.config.Engine.Draft(id)}
	runs, err := s.config.DB.Conversations().Runs(ctx, id, before, pageRuns+1)
	if err != nil {
		return w, err
	}
	if len(runs) > 0 {
		first := runs[min(len(runs), pageRuns)-1].FirstSeq
		w.timeline.Seq = first - 1
		if len(runs) > pageRuns {
			w.earlier = first
		} else {
			w.timeline.Seq = 0 // what comes before the first run is shown with it
		}
	}
	for {
		for r, err := range s.journal.Read(ctx, id, w.timeline.Seq) {
			if err != nil {
				return w, err
			}
			if before != 0 && r.Seq >= before {
				break
			}
			w.timeline.Apply(r)
		}
		if w.head, err = s.journal.Head(ctx, id); err != nil {
			return w, err
		}
		// A run that went on meanwhile is read to where the head is, so that
		// the runs and the queue are of the same moment.
		if before != 0 || w.timeline.Seq >= w.head.Seq {
			break
		}
	}
	w.timeline.SetDraft(w.draft)
	w.timeline.Take()
	return w, nil
}
