package web

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"countersign/agent"
	"countersign/views"
	"countersign/web/upload"
)

// attachmentPolicy is for what other people made: nothing in it may act, were a
// browser to show it all the same.
const attachmentPolicy = "default-src 'none'; sandbox"

// uploadFile keeps a file for the next message of the person. The answer is
// what stands for it in the message box.
func (s *Server) uploadFile(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	name := r.URL.Query().Get("name")
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, agent.MaxAttachment))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return upload.TooLarge(name)
	}
	if err != nil {
		return errBadForm // it broke off
	}
	file, err := upload.Inspect(r.Context(), name, data)
	if err != nil {
		return err
	}
	a, err := s.config.DB.Attachments().Put(r.Context(), v.user.ID, file)
	if err != nil {
		return err
	}
	return s.render(w, r, http.StatusCreated, views.AttachedFile(a))
}

// removeFile takes a file back that was not sent.
func (s *Server) removeFile(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	if err := s.config.DB.Attachments().Remove(r.Context(), v.user.ID, attachmentIn(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// downloadFile sends a file as it came, to be kept and never to be shown.
func (s *Server) downloadFile(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	a, err := s.config.DB.Attachments().Get(r.Context(), v.user.ID, attachmentIn(r))
	if err != nil {
		return err
	}
	data, err := s.config.DB.Attachments().Data(r.Context(), v.user.ID, a.ID)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}))
	return sendFile(w, a.Type, data)
}

// previewFile sends the small picture that was drawn of an image.
func (s *Server) previewFile(w http.ResponseWriter, r *http.Request) error {
	v, _ := r.Context().Value(visitKey).(visit)
	data, err := s.config.DB.Attachments().Preview(r.Context(), v.user.ID, attachmentIn(r))
	if err != nil {
		return err
	}
	return sendFile(w, "image/jpeg", data)
}

func sendFile(w http.ResponseWriter, kind string, data []byte) error {
	w.Header().Set("Content-Security-Policy", attachmentPolicy)
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(data) // the browser has gone: nobody to tell
	return nil
}

func attachmentIn(r *http.Request) agent.AttachmentID {
	return agent.AttachmentID(r.PathValue("attachment"))
}

// takeFiles finds the files that a message form names.
func (s *Server) takeFiles(r *http.Request, m *agent.SendMessage) error {
	var ids []agent.AttachmentID
	for _, id := range r.PostForm["attachment"] {
		ids = append(ids, agent.AttachmentID(id))
	}
	var err error
	m.Attachments, err = s.config.DB.Attachments().Take(r.Context(), m.Author.User, ids)
	return err
}
