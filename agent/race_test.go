package agent_test

import (
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/agent/racetest"
)

var bob = agent.Actor{User: "bob", Name: "Bob"}

const oneCall = `
	call call_1 save {"n":1}
	finish tool_calls
	---
	text "Done."
	finish stop
`

func TestRaces(t *testing.T) {
	t.Parallel()
	racetest.Run(t, racetest.Config{Rounds: 200, Open: func(*testing.T) journaltest.Store { return journaltest.NewMemory() }})
}
