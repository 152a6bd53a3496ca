package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
)

// The limits of attachments.
const (
	attachmentPart = 256 << 10 // bytes that one write stores
	// MaxUnsent is how many uploads of a person may wait to be sent.
	MaxUnsent = 32
	// MaxKept is how much a person may keep in all conversations, in bytes.
	MaxKept = 2 << 30
	// keepUnsent is how long an upload waits to be sent.
	keepUnsent = 24 * time.Hour
)

// Attachments stores the files of messages: an upload belongs to the person who
// made it, until a message takes it into a conversation, with which it goes. One
// that is not sent within a day is erased. What is over a limit is refused with
// an [*agent.InputError].
type Attachments struct{ db *DB }

var _ agent.Attachments = Attachments{}

// Attachments returns the store of files.
func (db *DB) Attachments() Attachments { return Attachments{db} }

// An Upload is a file to store.
type Upload struct {
	Name    string
	Type    string // media type, found in the bytes
	Data    []byte
	Preview []byte // a small JPEG of an image, nil for other files
}

type attachmentRow struct {
	ID           agent.AttachmentID
	Owner        agent.UserID
	Conversation agent.ConversationID // "" until it is sent
	Name         string
	Type         string
	Size         int
	Hash         string
	Preview      []byte
	Ready        bool  // every part is there
	CreatedAt    stamp `gorm:"autoCreateTime:false"`
}

func (attachmentRow) TableName() string { return "attachments" }

func (r attachmentRow) attachment() agent.Attachment {
	return agent.Attachment{ID: r.ID, Name: r.Name, Type: r.Type, Size: r.Size, Hash: r.Hash}
}

type attachmentPartRow struct {
	Hash string
	Part int
	Data []byte
}

func (attachmentPartRow) TableName() string { return "attachment_parts" }

// Put stores an upload of a person, who may have [MaxUnsent] that are not sent
// and [MaxKept] bytes in all.
func (s Attachments) Put(ctx context.Context, owner agent.UserID, u Upload) (agent.Attachment, error) {
	sum := sha256.Sum256(u.Data)
	row := attachmentRow{
		ID: agent.AttachmentID(agent.NewID("f_")), Owner: owner, Name: u.Name, Type: u.Type, Size: len(u.Data),
		Hash: hex.EncodeToString(sum[:]), Preview: u.Preview, CreatedAt: stampOf(s.db.now()),
	}
	// The row comes first: while it is there, nobody erases parts of its content.
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if err := mayUpload(tx, owner, len(u.Data)); err != nil {
			return err
		}
		return tx.Create(&row).Error
	})
	part := 0
	for data := range slices.Chunk(u.Data, attachmentPart) {
		if err != nil {
			break
		}
		stored := attachmentPartRow{row.Hash, part, data}
		part++
		err = s.db.queue.do(ctx, priorityBulk, func(tx *gorm.DB) error {
			return tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&stored).Error
		})
	}
	if err == nil {
		err = s.db.write(ctx, func(tx *gorm.DB) error {
			return tx.Model(&attachmentRow{}).Where("id = ?", row.ID).Update("ready", true).Error
		})
	}
	return row.attachment(), failed(ctx, "store attachment", err)
}

func mayUpload(tx *gorm.DB, owner agent.UserID, size int) error {
	var unsent, kept int64
	if err := tx.Model(&attachmentRow{}).Where("owner = ? AND conversation = ''", owner).Count(&unsent).Error; err != nil {
		return err
	}
	err := tx.Model(&attachmentRow{}).Where("owner = ?", owner).Select("COALESCE(SUM(size), 0)").Scan(&kept).Error
	switch {
	case err != nil:
		return err
	case unsent >= MaxUnsent:
		return &agent.InputError{Message: fmt.Sprintf("%d files wait to be sent already. Send or remove some first.", MaxUnsent)}
	case kept+int64(size) > MaxKept:
		return &agent.InputError{Message: fmt.Sprintf("Your files take up %d GB, which is the limit. Delete conversations with files first.", MaxKept>>30)}
	}
	return nil
}

// Take returns uploads of a person in the order of the ids, for a message. With
// an [*agent.InputError] for one that is gone come those that are there. The
// journal makes sure once more that they may be sent.
func (s Attachments) Take(ctx context.Context, owner agent.UserID, ids []agent.AttachmentID) ([]agent.Attachment, error) {
	if len(ids) > agent.MaxAttachments {
		return nil, &agent.InputError{Message: fmt.Sprintf("A message can have %d files at most.", agent.MaxAttachments)}
	}
	var list []agent.Attachment
	var gone error
	for _, id := range ids {
		a, err := s.Get(ctx, owner, id)
		switch {
		case errors.Is(err, ErrNotFound):
			gone = errNotAttached
		case err != nil:
			return nil, err
		default:
			list = append(list, a)
		}
	}
	return list, gone
}

var errNotAttached = &agent.InputError{Message: "A file is not here any more: it was removed, or waited for more than a day. Attach it again."}

// Get returns an attachment of a person.
func (s Attachments) Get(ctx context.Context, owner agent.UserID, id agent.AttachmentID) (agent.Attachment, error) {
	var row attachmentRow
	err := s.db.read(ctx).Omit("preview").Take(&row, "id = ? AND owner = ? AND ready = 1", id, owner).Error
	return row.attachment(), failed(ctx, "find attachment", err)
}

// Data returns the bytes of an attachment of a person.
func (s Attachments) Data(ctx context.Context, owner agent.UserID, id agent.AttachmentID) ([]byte, error) {
	a, err := s.Get(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return s.content(ctx, a.Hash)
}

// Preview returns the small picture of an image.
func (s Attachments) Preview(ctx context.Context, owner agent.UserID, id agent.AttachmentID) ([]byte, error) {
	var row attachmentRow
	err := s.db.read(ctx).Take(&row, "id = ? AND owner = ? AND ready = 1 AND preview IS NOT NULL", id, owner).Error
	return row.Preview, failed(ctx, "find preview", err)
}

// Content implements [agent.Attachments].
func (s Attachments) Content(ctx context.Context, id agent.ConversationID, a agent.AttachmentID) ([]byte, error) {
	var row attachmentRow
	err := s.db.read(ctx).Omit("preview").Take(&row, "id = ? AND conversation = ? AND ready = 1", a, id).Error
	if err != nil {
		return nil, failed(ctx, "find attachment", err)
	}
	return s.content(ctx, row.Hash)
}

// content puts the parts together. What is not what its hash says is a fault of
// the disk, and goes nowhere.
func (s Attachments) content(ctx context.Context, hash string) ([]byte, error) {
	var parts [][]byte
	err := s.db.read(ctx).Model(&attachmentPartRow{}).Where("hash = ?", hash).Order("part").Pluck("data", &parts).Error
	data := bytes.Join(parts, nil)
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != hash {
		err = errors.New("the content is damaged")
	}
	return data, failed(ctx, "read attachment", err)
}

// Remove takes an upload back that was not sent. [ErrNotFound] says that there
// is none.
func (s Attachments) Remove(ctx context.Context, owner agent.UserID, id agent.AttachmentID) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Model(&attachmentRow{}).Where("id = ? AND owner = ? AND conversation = ''", id, owner).
			Updates(map[string]any{"owner": "", "created_at": 0})
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	if err == nil {
		s.db.Conversations().wantErased()
	}
	return failed(ctx, "remove attachment", err)
}

// attach takes uploads into a conversation of their owner, with the message
// that names them.
func attach(tx *gorm.DB, id agent.ConversationID, owner agent.UserID, list []agent.Attachment) error {
	for _, a := range list {
		done := tx.Model(&attachmentRow{}).
			Where("id = ? AND owner = ? AND ready = 1 AND hash = ? AND conversation IN ('', ?)", a.ID, owner, a.Hash, id).
			Update("conversation", id)
		if done.Error == nil && done.RowsAffected == 0 {
			return errNotAttached
		}
		if done.Error != nil {
			return done.Error
		}
	}
	return nil
}

// eraseUnsent removes a part of an upload that was never sent, and reports
// whether there was one.
func eraseUnsent(tx *gorm.DB, before stamp) (bool, error) {
	n, err := eraseAttachment(tx, "conversation = '' AND created_at < ?", before)
	return n > 0, err
}

// eraseAttachment removes a part of an attachment. The content goes with the
// last attachment that has it.
func eraseAttachment(tx *gorm.DB, which string, args ...any) (int64, error) {
	var rows []attachmentRow
	if err := tx.Omit("preview").Where(which, args...).Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return 0, err
	}
	var others int64
	err := tx.Model(&attachmentRow{}).Where("hash = ? AND id <> ?", rows[0].Hash, rows[0].ID).Count(&others).Error
	if err != nil {
		return 0, err
	}
	if others == 0 {
		done := tx.Exec(`DELETE FROM attachment_parts WHERE hash = ? AND part IN (SELECT part FROM attachment_parts WHERE hash = ? LIMIT 1)`, rows[0].Hash, rows[0].Hash)
		if done.Error != nil || done.RowsAffected > 0 {
			return done.RowsAffected, done.Error
		}
	}
	done := tx.Delete(&attachmentRow{}, "id = ?", rows[0].ID)
	return done.RowsAffected, done.Error
}
