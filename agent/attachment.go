package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/providers"
)

// The limits of what is attached to one message (contract 2.12).
const (
	MaxAttachments = 8        // files
	MaxAttachment  = 10 << 20 // bytes of a file
	MaxAttached    = 24 << 20 // bytes of all files
)

// An Attachment is a file that came with a message. What is in it is kept
// apart; see [Attachments].
type Attachment struct {
	ID   AttachmentID `json:"id"`
	Name string       `json:"name"` // as the person's computer called it: untrusted
	Type string       `json:"type"` // media type, found in the bytes
	Size int          `json:"size"` // bytes
	Hash string       `json:"sha256"`
}

// The media types that are not images.
const (
	TypePDF  = "application/pdf"
	TypeText = "text/plain"
)

// IsImage reports whether it is one of the pictures that models take.
func (a Attachment) IsImage() bool { return strings.HasPrefix(a.Type, "image/") }

// Attachments keeps the bytes of what is attached. Its methods are safe for use
// by multiple goroutines.
type Attachments interface {
	// Content returns the bytes of an attachment of a conversation, or
	// [ErrNotFound].
	Content(ctx context.Context, id ConversationID, a AttachmentID) ([]byte, error)
}

// Models knows what models take. Its methods are safe for use by multiple
// goroutines.
type Models interface {
	// Models returns every model that is configured, in the order in which
	// they are offered.
	Models(ctx context.Context) ([]ModelTakes, error)
}

// A ModelTakes is a model and what it takes beside text, as an admin says
// (contract P17, P18).
type ModelTakes struct {
	ModelRef
	Images, PDF bool
}

// takes reports whether the model can read an attachment. All read text.
func (m ModelTakes) takes(a Attachment) bool {
	switch {
	case a.IsImage():
		return m.Images
	case a.Type == TypePDF:
		return m.PDF
	}
	return true
}

func checkAttachments(list []Attachment) error {
	if len(list) > MaxAttachments {
		return &InputError{Message: fmt.Sprintf("A message can have %d files at most.", MaxAttachments)}
	}
	total := 0
	for _, a := range list {
		total += a.Size
	}
	if total > MaxAttached {
		return &InputError{Message: fmt.Sprintf("The files of a message can have %d MB together. Remove one, or send them in two messages.", MaxAttached>>20)}
	}
	return nil
}

// mayAttach refuses files that the model can't read, and says which model
// could: nothing is left out silently (contract P18).
func (e *Engine) mayAttach(ctx context.Context, ref ModelRef, list []Attachment) error {
	if len(list) == 0 || e.models == nil {
		return nil
	}
	all, err := e.models.Models(ctx)
	if err != nil {
		return fmt.Errorf("find what models take: %w", err)
	}
	this := ModelTakes{ModelRef: ref}
	for _, m := range all {
		if m.Provider == ref.Provider && m.Model == ref.Model {
			this = m
		}
	}
	i := slices.IndexFunc(list, func(a Attachment) bool { return !this.takes(a) })
	if i < 0 {
		return nil
	}
	what := "images"
	if list[i].Type == TypePDF {
		what = "PDF files"
	}
	said := fmt.Sprintf("%s on %s does not take %s. ", ref.Model, ref.ProviderName, what)
	able := slices.IndexFunc(all, func(m ModelTakes) bool {
		return !slices.ContainsFunc(list, func(a Attachment) bool { return !m.takes(a) })
	})
	if able < 0 {
		return &InputError{Message: said + "No model here is set up for that: an admin can say on the page of a provider which ones are. Or send the message without the file."}
	}
	return &InputError{Message: said + fmt.Sprintf("%s on %s does: start a conversation with it, or send the message without the file.", all[able].Model, all[able].ProviderName)}
}

// contents reads the files that go along with the next request: the newest
// ones, as many as fit into the limit of a message. Requests have a limit of
// their own, and every one holds them all again.
func (w *worker) contents(ctx context.Context, h *History) (map[AttachmentID][]byte, error) {
	contents := make(map[AttachmentID][]byte)
	if w.attachments == nil {
		return contents, nil
	}
	room := MaxAttached
	for _, run := range slices.Backward(h.runs) {
		for _, a := range run.attachments {
			if room -= a.Size; room < 0 {
				return contents, nil
			}
			data, err := w.attachments.Content(ctx, w.ref.Conversation, a.ID)
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read an attachment: %w", err)
			}
			contents[a.ID] = data
		}
	}
	return contents, nil
}

// userMessage is what a person wrote and attached, for a request. The model is
// told of a file that does not go along.
func userMessage(text string, list []Attachment, contents map[AttachmentID][]byte) providers.UserMessage {
	m := providers.UserMessage{Text: text}
	for _, a := range list {
		if data, ok := contents[a.ID]; ok {
			m.Files = append(m.Files, providers.File{Name: a.Name, Type: a.Type, Data: data})
		} else {
			m.Text = strings.TrimSpace(m.Text + fmt.Sprintf("\n\n[The file %q was attached here and is not sent along any more.]", a.Name))
		}
	}
	return m
}
