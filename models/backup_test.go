package models_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/models/modelstest"
)

// A backup made while a conversation grows is a database whose journal is
// dense up to its end.
func TestBackup_WhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := modelstest.OpenConfig(t, models.Config{Dir: dir})
	journal := db.Journal()
	const id agent.ConversationID = "c_1"
	var last agent.Seq
	write := func(e agent.Event) {
		t.Helper()
		records, err := journal.Append(t.Context(), agent.Batch{
			Conversation: id, After: last, At: time.Now(), Entries: []agent.Entry{{Event: e}},
		})
		if err != nil {
			t.Error(err)
			return
		}
		last = records[len(records)-1].Seq
	}
	write(agent.ConversationCreated{Owner: "u_1"})

	restored := make([]string, 3)
	var done atomic.Bool
	go func() {
		defer done.Store(true)
		for i := range restored {
			restored[i] = filepath.Join(t.TempDir(), "countersign.db")
			f, err := os.Create(restored[i])
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Backup(t.Context(), f); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	for i := 0; !done.Load(); i++ {
		write(agent.ConversationTitled{Title: "title " + strconv.Itoa(i)})
	}

	for _, file := range restored {
		copied := modelstest.OpenConfig(t, models.Config{Dir: filepath.Dir(file)})
		var at agent.Seq
		for r, err := range copied.Journal().Read(t.Context(), id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if at++; r.Seq != at {
				t.Fatalf("record %d follows %d", r.Seq, at-1)
			}
		}
		if at == 0 || at > last {
			t.Errorf("the backup has %d records, the original %d", at, last)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.backup*")); err != nil || len(left) > 0 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
}

func TestBackup_AfterOneThatWasKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := modelstest.OpenConfig(t, models.Config{Dir: dir})
	if err := os.WriteFile(filepath.Join(dir, "countersign.backup"), []byte("half a copy"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "countersign.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := db.Backup(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	modelstest.OpenConfig(t, models.Config{Dir: filepath.Dir(f.Name())})
}
