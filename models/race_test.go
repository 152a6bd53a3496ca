package models_test

import (
	"flag"
	"testing"

	"countersign/agent/journaltest"
	"countersign/agent/racetest"
	"countersign/models"
	"countersign/models/modelstest"
)

var races = flag.Int("races", 20, "rounds of each race")

// A raceStore is the journal, and can delete.
type raceStore struct {
	models.Journal
	models.Conversations
}

func TestRacesOnDisk(t *testing.T) {
	t.Parallel()
	racetest.Run(t, racetest.Config{Rounds: *races, Open: func(t *testing.T) journaltest.Store {
		db := modelstest.Open(t)
		return raceStore{db.Journal(), db.Conversations()}
	}})
}
