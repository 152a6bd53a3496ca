package models

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"countersign/agent"
)

func TestNotes(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	begin(t, db, "c_1", "u_1")
	begin(t, db, "c_2", "u_1")
	s := db.Notes()
	check := func(id agent.ConversationID, title, want string, wantErr error) {
		t.Helper()
		got, err := s.Read(t.Context(), id, title)
		if got != want || !errors.Is(err, wantErr) {
			t.Errorf("%s, %q: got %q, %v, want %q, %v", id, title, got, err, want, wantErr)
		}
	}
	write := func(id agent.ConversationID, title, text string) {
		t.Helper()
		if err := s.Write(t.Context(), id, title, text); err != nil {
			t.Fatal(err)
		}
	}
	check("c_1", "Milk", "", ErrNotFound)
	write("c_1", "Milk", "two litres")
	write("c_1", "Bread", "")
	write("c_1", "Milk", "three\x00litres\r\n")
	write("c_2", "Milk", "none")
	check("c_1", "Milk", "three\x00litres\r\n", nil)
	check("c_1", "Bread", "", nil)
	check("c_2", "Milk", "none", nil)
	check("c_1", "milk", "", ErrNotFound)
	titles, err := s.List(t.Context(), "c_1")
	if diff := cmp.Diff([]string{"Bread", "Milk"}, titles); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if err := s.Delete(t.Context(), "c_1", "Milk"); err != nil {
		t.Error(err)
	}
	check("c_1", "Milk", "", ErrNotFound)
	check("c_2", "Milk", "none", nil)
	if err := s.Delete(t.Context(), "c_1", "Milk"); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete twice: got %v, want ErrNotFound", err)
	}
	if err := s.Write(t.Context(), "c_none", "Milk", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("write to no conversation: got %v, want ErrNotFound", err)
	}
	err = db.write(t.Context(), func(tx *gorm.DB) error { return tx.Delete(&conversationRow{}, "id = 'c_2'").Error })
	if err != nil {
		t.Fatal(err)
	}
	check("c_2", "Milk", "", ErrNotFound)
}

func TestNotes_Limits(t *testing.T) {
	t.Parallel()
	db := openTest(t, Config{})
	begin(t, db, "c_1", "u_1")
	s := db.Notes()
	refused := func(title, text string) {
		t.Helper()
		var input *agent.InputError
		if err := s.Write(t.Context(), "c_1", title, text); !errors.As(err, &input) {
			t.Errorf("title of %d and text of %d bytes: got %v, want an InputError", len(title), len(text), err)
		}
	}
	longest := strings.Repeat("é", 120)
	refused("", "x")
	refused(longest+"é", "x")
	refused("two\nlines", "x")
	refused("\xff", "x")
	refused("t", "\xff")
	refused("t", strings.Repeat("x", 64<<10+1))
	if err := s.Write(t.Context(), "c_1", longest, strings.Repeat("x", 64<<10)); err != nil {
		t.Error(err)
	}
	for i := range 199 {
		if err := s.Write(t.Context(), "c_1", fmt.Sprint(i), "x"); err != nil {
			t.Fatal(err)
		}
	}
	refused("one too many", "x")
	if err := s.Write(t.Context(), "c_1", longest, "shorter"); err != nil {
		t.Errorf("replace in a full notebook: %v", err)
	}
}
