package models

import (
	"errors"
	"strings"
	"testing"

	"countersign/agent"
)

// The rule holds wherever an agent comes from.
func TestAgents_RefuseKeys(t *testing.T) {
	t.Parallel()
	err := checkAgent(agent.Agent{Name: "Clerk", Instructions: "Use sk-" + strings.Repeat("a1B2", 8)})
	var invalid Invalid
	if !errors.As(err, &invalid) || invalid["instructions"] == "" {
		t.Errorf("got %v", err)
	}
}
