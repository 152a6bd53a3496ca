package api

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"countersign/agent"
	"countersign/web/upload"
)

func attachmentsOf(list []agent.Attachment) []Attachment {
	out := make([]Attachment, len(list))
	for i, a := range list {
		out[i] = attachmentOf(a)
	}
	return out
}

func attachmentOf(a agent.Attachment) Attachment {
	return Attachment{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size, SHA256: a.Hash}
}

// upload keeps a file for a message.
func (s *Server) upload(c *call) (answer, error) {
	if wait := s.keys.take(c.name(), s.Now()); wait > 0 {
		return answer{}, errRate(wait)
	}
	name := c.URL.Query().Get("name")
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.Body, agent.MaxAttachment))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return answer{}, errTooLarge(tooLarge.Limit)
	}
	if err != nil {
		return answer{}, invalid("The body broke off.")
	}
	file, err := upload.Inspect(c.Context(), name, data)
	if err != nil {
		return answer{}, err
	}
	a, err := s.DB.Attachments().Put(c.Context(), c.owner(), file)
	return answer{status: http.StatusCreated, body: attachmentOf(a)}, err
}

// readAttachment says what a file is.
func (s *Server) readAttachment(c *call) (answer, error) {
	a, err := s.DB.Attachments().Get(c.Context(), c.owner(), c.attachment())
	return answer{status: http.StatusOK, body: attachmentOf(a)}, orUnknown(err, errNoAttachment)
}

// download answers with a file as it came.
func (s *Server) download(c *call) (answer, error) {
	a, err := s.DB.Attachments().Get(c.Context(), c.owner(), c.attachment())
	if err != nil {
		return answer{}, orUnknown(err, errNoAttachment)
	}
	data, err := s.DB.Attachments().Data(c.Context(), c.owner(), a.ID)
	c.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}))
	return answer{status: http.StatusOK, file: data, kind: a.Type}, orUnknown(err, errNoAttachment)
}

// removeAttachment takes a file back that was not sent.
func (s *Server) removeAttachment(c *call) (answer, error) {
	err := s.DB.Attachments().Remove(c.Context(), c.owner(), c.attachment())
	return answer{status: http.StatusNoContent}, orUnknown(err, errNoAttachment)
}
