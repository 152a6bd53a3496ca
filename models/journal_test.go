package models_test

import (
	"testing"

	"countersign/agent/journaltest"
	"countersign/models"
	"countersign/models/modelstest"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	journaltest.Run(t, func(t *testing.T) (journaltest.Store, func() journaltest.Store) {
		c := models.Config{Dir: t.TempDir()}
		db := modelstest.OpenConfig(t, c)
		return db.Journal(), func() journaltest.Store {
			if err := db.Close(); err != nil {
				t.Fatalf("close: %v", err)
			}
			db = modelstest.OpenConfig(t, c)
			return db.Journal()
		}
	})
}
