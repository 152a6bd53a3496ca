package control

import (
	"errors"
	"net/http"
	"time"

	"countersign/agent"
	"countersign/models"
)

// A Run is the newest run of a conversation.
type Run struct {
	ID           agent.RunID          `json:"id"`
	Conversation agent.ConversationID `json:"conversation"`
	State        agent.RunStatus      `json:"state"`
	Title        string               `json:"title"`
	UpdatedAt    time.Time            `json:"updated_at"`
}

type runsRequest struct {
	User  string `json:"user"`
	Limit int    `json:"limit"`
}

type resumeRequest struct {
	Run agent.RunID `json:"run"`
}

// listRuns lists the newest runs of a person's conversations, the one that
// changed last first.
func (h handler) listRuns(r *http.Request) (any, error) {
	in, err := read[runsRequest](r)
	if err != nil {
		return nil, err
	}
	who, err := h.person(r.Context(), in.User)
	if err != nil {
		return nil, err
	}
	page, _, err := h.DB.Conversations().List(r.Context(), who.ID, "", in.Limit)
	if err != nil {
		return nil, err
	}
	list := []Run{}
	for _, c := range page {
		head, err := h.DB.Journal().Head(r.Context(), c.ID)
		if errors.Is(err, agent.ErrNotFound) || err == nil && head.Run == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Run{head.Run.ID, c.ID, head.Run.Status, head.Title, head.UpdatedAt})
	}
	return list, nil
}

// resumeRun has the process that holds the directory go on with a run. A server
// does so by itself.
func (h handler) resumeRun(r *http.Request) (any, error) {
	in, err := read[resumeRequest](r)
	if err != nil {
		return nil, err
	}
	ref, err := h.DB.Conversations().Find(r.Context(), in.Run)
	if errors.Is(err, models.ErrNotFound) {
		return nil, errNoRun
	}
	if err != nil {
		return nil, err
	}
	h.Site.Resume(ref)
	return struct{}{}, nil
}
