package control

import (
	"errors"
	"net/http"
	"slices"

	"countersign/agent"
	"countersign/web/export"
)

type exportRequest struct {
	Conversation agent.ConversationID `json:"conversation"`
	Markdown     bool                 `json:"markdown"`
}

type importRequest struct {
	User  string              `json:"user"`
	Agent string              `json:"agent"`
	Said  agent.HistoryCopied `json:"said"`
}

type importAnswer struct {
	Conversation agent.ConversationID `json:"conversation"`
}

// export streams a conversation. One that breaks off is no whole answer of
// HTTP, which the command notices.
func (h handler) export(w http.ResponseWriter, r *http.Request) {
	in, err := read[exportRequest](r)
	out := &startedWriter{ResponseWriter: w}
	if err == nil {
		err = h.write(out, r, in)
	}
	switch {
	case err == nil:
	case errors.Is(err, agent.ErrNotFound):
		h.fail(w, r, errNoTalk)
	case !out.started:
		h.fail(w, r, err)
	default:
		if r.Context().Err() == nil {
			h.Log.ErrorContext(r.Context(), "export broke off", "error", err)
		}
		panic(http.ErrAbortHandler)
	}
}

func (h handler) write(w http.ResponseWriter, r *http.Request, in exportRequest) error {
	if !in.Markdown {
		return export.Write(r.Context(), w, h.DB, in.Conversation)
	}
	if _, err := h.DB.Journal().Head(r.Context(), in.Conversation); err != nil {
		return err
	}
	said, err := agent.CopyOf(h.DB.Journal().Read(r.Context(), in.Conversation, 0))
	if err != nil {
		return err
	}
	return export.WriteMarkdown(w, said)
}

// importFile opens a conversation with what was said in the one of a file. It
// is text alone: a file allows nothing, and no decision comes from one.
func (h handler) importFile(r *http.Request) (any, error) {
	in, err := read[importRequest](r)
	if err != nil {
		return nil, err
	}
	who, err := h.person(r.Context(), in.User)
	if err != nil {
		return nil, err
	}
	agents, err := h.DB.Agents().List(r.Context())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(agents, func(a agent.Agent) bool { return in.Agent == "" || a.Name == in.Agent })
	if i < 0 {
		return nil, errNoAgent
	}
	id, err := h.Site.Import(r.Context(), agents[i], in.Said, agent.Actor{User: who.ID, Name: who.Name})
	return importAnswer{id}, err
}
