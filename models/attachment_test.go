package models

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

func text(name, data string) Upload {
	return Upload{Name: name, Type: agent.TypeText, Data: []byte(data)}
}

func attached(t *testing.T, db *DB, owner agent.UserID, u Upload) agent.Attachment {
	t.Helper()
	a, err := db.Attachments().Put(t.Context(), owner, u)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// attachTo sends a file in a conversation.
func (s *script) attachTo(run agent.RunID, list ...agent.Attachment) error {
	_, err := s.j.Append(s.t.Context(), s.batch(run, agent.UserMessage{Message: agent.MessageID("m_" + run), Attachments: list}))
	return err
}

func parts(t *testing.T, db *DB) (n int64) {
	t.Helper()
	if err := db.reader.Model(&attachmentPartRow{}).Count(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

// An upload is its owner's alone, and comes back byte for byte; a message takes
// it into one conversation and no other.
func TestAttachments(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	c1, c2, foreign := begin(t, db, "c_1", "u_1"), begin(t, db, "c_2", "u_1"), begin(t, db, "c_3", "u_2")
	data := bytes.Repeat([]byte("0123456789\x00\xff"), attachmentPart/4) // three parts
	s := db.Attachments()
	a := attached(t, db, "u_1", Upload{Name: "a.png", Type: "image/png", Data: data, Preview: []byte("small")})
	if got, err := s.Data(t.Context(), "u_1", a.ID); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if got, err := s.Preview(t.Context(), "u_1", a.ID); err != nil || string(got) != "small" {
		t.Errorf("the preview is %q, %v", got, err)
	}
	for what, err := range map[string]error{
		"somebody else's":     second(s.Data(t.Context(), "u_2", a.ID)),
		"its preview":         second(s.Preview(t.Context(), "u_2", a.ID)),
		"before it is sent":   second(s.Content(t.Context(), "c_1", a.ID)),
		"removed by a rival":  s.Remove(t.Context(), "u_2", a.ID),
		"of no preview":       second(s.Preview(t.Context(), "u_1", attached(t, db, "u_1", text("b", "b")).ID)),
		"what does not exist": second(s.Get(t.Context(), "u_1", "f_none")),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", what, err)
		}
	}
	var refused *agent.InputError
	if err := foreign.attachTo("r_3", a); !errors.As(err, &refused) {
		t.Errorf("attached by another person: got %v", err)
	}
	forged := a
	forged.Hash = "another"
	if err := c1.attachTo("r_1", forged); !errors.As(err, &refused) {
		t.Errorf("with another content: got %v", err)
	}
	if err := c1.attachTo("r_1", a, a); err != nil {
		t.Error(err)
	}
	if err := c2.attachTo("r_2", a); !errors.As(err, &refused) {
		t.Errorf("attached in two conversations: got %v", err)
	}
	if got, err := s.Content(t.Context(), "c_1", a.ID); err != nil || !bytes.Equal(got, data) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	if err := s.Remove(t.Context(), "u_1", a.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("taken back after it was sent: got %v", err)
	}
	if list, err := s.Take(t.Context(), "u_1", []agent.AttachmentID{"f_none", a.ID}); !errors.As(err, &refused) || len(list) != 1 {
		t.Errorf("took %v, %v", list, err)
	}
}

// A content that several files have is kept once, and until the last of them
// goes.
func TestAttachments_SameContent(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	c1 := begin(t, db, "c_1", "u_1")
	var list []agent.Attachment
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			a, err := db.Attachments().Put(t.Context(), agent.UserID(fmt.Sprint("u_", i%2+1)), text("x", "same"))
			mu.Lock()
			defer mu.Unlock()
			if list = append(list, a); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := parts(t, db); n != 1 {
		t.Errorf("%d parts are kept, want 1", n)
	}
	var other agent.Attachment
	for _, a := range list {
		if _, err := db.Attachments().Get(t.Context(), "u_2", a.ID); err == nil {
			other = a
		} else if err := c1.attachTo("r_"+agent.RunID(a.ID), a); err == nil {
			c1.at++
		} else {
			t.Error(err)
		}
	}
	if err := db.write(t.Context(), func(tx *gorm.DB) error { return markDeleted(tx, "c_1") }); err != nil {
		t.Fatal(err)
	}
	if err := db.Conversations().Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := db.Attachments().Data(t.Context(), "u_2", other.ID); string(got) != "same" || err != nil {
		t.Errorf("the other person’s file is %q, %v", got, err)
	}
	if _, err := db.Attachments().Get(t.Context(), "u_1", list[0].ID); list[0].ID != other.ID && !errors.Is(err, ErrNotFound) {
		t.Errorf("a file of the deleted conversation: got %v", err)
	}
}

// What is not sent within a day goes, also what a crash left half stored.
func TestAttachments_Unsent(t *testing.T) {
	t.Parallel()
	now := time.Now()
	db := openTest(t, Config{Now: func() time.Time { return now }})
	endSweeping(db)
	old := attached(t, db, "u_1", text("old", "old"))
	half := attachmentRow{ID: "f_half", Owner: "u_1", Hash: "half", CreatedAt: stampOf(now)}
	if err := db.write(t.Context(), func(tx *gorm.DB) error {
		return errors.Join(tx.Create(&half).Error, tx.Create(&attachmentPartRow{"half", 0, []byte("ha")}).Error)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Attachments().Get(t.Context(), "u_1", "f_half"); !errors.Is(err, ErrNotFound) {
		t.Errorf("half an upload: got %v, want ErrNotFound", err)
	}
	now = now.Add(keepUnsent + time.Second)
	young := attached(t, db, "u_1", text("young", "young"))
	back := attached(t, db, "u_1", text("back", "back"))
	if err := db.Attachments().Remove(t.Context(), "u_1", back.ID); err != nil {
		t.Error(err)
	}
	if err := db.Conversations().Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := parts(t, db); n != 1 {
		t.Errorf("%d parts are left, want those of the young one", n)
	}
	for id, want := range map[agent.AttachmentID]error{old.ID: ErrNotFound, back.ID: ErrNotFound, young.ID: nil} {
		if _, err := db.Attachments().Get(t.Context(), "u_1", id); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", id, err, want)
		}
	}
}

func TestAttachments_Limits(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	for i := range MaxUnsent {
		attached(t, db, "u_1", text("a", fmt.Sprint(i)))
	}
	var refused *agent.InputError
	if _, err := db.Attachments().Put(t.Context(), "u_1", text("a", "one more")); !errors.As(err, &refused) {
		t.Errorf("one more: got %v", err)
	}
	attached(t, db, "u_2", text("a", "of another person"))
	if err := db.write(t.Context(), func(tx *gorm.DB) error {
		return tx.Create(&attachmentRow{ID: "f_big", Owner: "u_3", Conversation: "c", Size: MaxKept, Ready: true}).Error
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Attachments().Put(t.Context(), "u_3", text("a", "a")); !errors.As(err, &refused) {
		t.Errorf("beyond the limit of a person: got %v", err)
	}
}

// A backup has the files; a damaged one is not handed out.
func TestAttachments_Backup(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	a := attached(t, db, "u_1", text("a", "kept"))
	c := Config{Dir: t.TempDir()}
	f, err := os.OpenFile(filepath.Join(c.Dir, databaseFile), os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(db.Backup(t.Context(), f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	restored := openTest(t, c)
	if got, err := restored.Attachments().Data(t.Context(), "u_1", a.ID); string(got) != "kept" || err != nil {
		t.Errorf("restored %q, %v", got, err)
	}
	if err := restored.write(t.Context(), func(tx *gorm.DB) error {
		return tx.Model(&attachmentPartRow{}).Where("1 = 1").Update("data", []byte("kapt")).Error
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := restored.Attachments().Data(t.Context(), "u_1", a.ID); err == nil {
		t.Errorf("a damaged file was read: %q", got)
	}
}
