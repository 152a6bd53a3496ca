package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // zones are known on machines that have no list of them

	"countersign/agent"
)

//go:embed current_time.md
var currentTimeDescription string

type currentTime struct{}

func (currentTime) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{
		Name: "current_time", Title: "Current time", Description: strings.TrimSpace(currentTimeDescription), ReadOnly: true,
		Parameters: json.RawMessage(`{"type":"object","properties":{"zone":{"type":"string","description":"An IANA time zone such as Europe/Paris. UTC when left out."}},"additionalProperties":false}`),
	}
}

func (currentTime) Call(_ context.Context, in agent.Invocation) (agent.Result, error) {
	zone := "UTC"
	if err := read(in.Arguments, parameter{name: "zone", into: &zone, optional: true}); err != nil {
		return failure(wrong(err)), nil
	}
	where, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" { // the last two would be the server's own zone
		return failure(fmt.Sprintf("There is no time zone %q. Use an IANA name such as Europe/Paris, or leave the zone out for UTC.", zone)), nil
	}
	now := in.Now.In(where)
	return agent.Result{Text: now.Format("Monday, 2 January 2006, 15:04:05 MST") + " (" + now.Format(time.RFC3339) + ")"}, nil
}
