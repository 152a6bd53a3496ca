package web

import (
	"net/http"

	"countersign/web/export"
)

// exportConversation sends a conversation as a file: the record as JSON lines,
// or what was said as Markdown.
func (s *Server) exportConversation(w http.ResponseWriter, r *http.Request) error {
	_, id, err := s.ownConversation(r)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	if r.URL.Query().Get("format") == "markdown" {
		said, err := s.config.Engine.Copy(r.Context(), id)
		if err != nil {
			return err
		}
		h.Set("Content-Type", "text/markdown; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="conversation.md"`)
		_ = export.WriteMarkdown(w, said) // the browser has gone: nobody to tell
		return nil
	}
	h.Set("Content-Type", "application/jsonl; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="conversation.jsonl"`)
	if err := export.Write(r.Context(), w, s.config.DB, id); err != nil {
		if r.Context().Err() == nil {
			s.log.ErrorContext(r.Context(), "export broke off", "error", err)
		}
		panic(http.ErrAbortHandler) // what was sent is no whole file, and the browser is to know
	}
	return nil
}
