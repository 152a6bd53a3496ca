package models

import (
	"context"
	"unicode/utf8"

	"gorm.io/gorm"

	"countersign/agent"
)

// The limits of a notebook.
const (
	maxNotes     = 200
	maxNoteTitle = 120      // characters
	maxNoteText  = 64 << 10 // bytes
)

// Notes stores the notebook of each conversation. What is over a limit is
// refused with an [*agent.InputError]; a note or a conversation that is not
// there is [ErrNotFound]. A notebook goes with its conversation.
type Notes struct{ db *DB }

// Notes returns the store of notebooks.
func (db *DB) Notes() Notes { return Notes{db} }

type noteRow struct {
	Conversation agent.ConversationID
	Title        string
	Text         string
	UpdatedAt    stamp `gorm:"autoUpdateTime:false"`
}

func (noteRow) TableName() string { return "notes" }

// List returns the titles of a conversation's notes, in order.
func (s Notes) List(ctx context.Context, id agent.ConversationID) ([]string, error) {
	var titles []string
	err := s.db.read(ctx).Model(&noteRow{}).Where("conversation = ?", id).Order("title").Pluck("title", &titles).Error
	return titles, failed(ctx, "list notes", err)
}

// Read returns the text of a note.
func (s Notes) Read(ctx context.Context, id agent.ConversationID, title string) (string, error) {
	var row noteRow
	err := s.db.read(ctx).Take(&row, "conversation = ? AND title = ?", id, title).Error
	return row.Text, failed(ctx, "read note", err)
}

// Write puts a text under a title of at most 120 characters, in place of what
// was there. The text may be 64 KiB long and the notebook hold 200 notes.
func (s Notes) Write(ctx context.Context, id agent.ConversationID, title, text string) error {
	if err := checkNote(title, text); err != nil {
		return err
	}
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var found int64
		if err := tx.Model(&conversationRow{}).Where("id = ?", id).Count(&found).Error; err != nil {
			return err
		}
		if found == 0 {
			return ErrNotFound
		}
		var others int64
		if err := tx.Model(&noteRow{}).Where("conversation = ? AND title <> ?", id, title).Count(&others).Error; err != nil {
			return err
		}
		if others >= maxNotes {
			return &agent.InputError{Message: "The notebook is full: it holds 200 notes. Delete one first."}
		}
		row := noteRow{id, title, text, stampOf(s.db.now())}
		return tx.Clauses(upsert("conversation", "title")).Create(&row).Error
	})
	return failed(ctx, "write note", err)
}

func checkNote(title, text string) error {
	switch n := utf8.RuneCountInString(title); {
	case n == 0 || n > maxNoteTitle:
		return &agent.InputError{Message: "A note has a title of 1 to 120 characters."}
	case !isLine(title):
		return &agent.InputError{Message: "The title of a note is one line of plain text."}
	case len(text) > maxNoteText:
		return &agent.InputError{Message: "A note may be 64 KiB long."}
	case !utf8.ValidString(text):
		return &agent.InputError{Message: "The text of a note is not valid UTF-8."}
	}
	return nil
}

// Delete removes a note for good.
func (s Notes) Delete(ctx context.Context, id agent.ConversationID, title string) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Delete(&noteRow{}, "conversation = ? AND title = ?", id, title)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	return failed(ctx, "delete note", err)
}
