package agenttest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"countersign/agent"
	"countersign/agent/journaltest"
	"countersign/providers"
	"countersign/providers/scripted"
)

// Conversation is the conversation of every scenario.
var Conversation = agent.ConversationFor("ann", "m1")

// A Played is what a scenario left behind.
type Played struct {
	Scenario *Scenario
	Memory   *journaltest.Memory
	Tools    []*Tool
	Options  Options
	Requests []providers.Request
	// Journal and Timeline are the sections as they came out.
	Journal, Timeline string
}

// Play performs a scenario. It must be called in a testing/synctest bubble.
// What the drive expects, and what must hold of every scenario, it checks
// itself; the journal and the timeline are for the caller to compare.
func Play(t testing.TB, s *Scenario) *Played {
	t.Helper()
	script, err := scripted.Parse(s.Script)
	if err != nil {
		t.Fatalf("script: %v", err)
	}
	tools, err := ParseTools(s.Tools)
	if err != nil {
		t.Fatal(err)
	}
	options, err := ParseOptions(s.Options)
	if err != nil {
		t.Fatal(err)
	}
	stage := scripted.NewStage(script)
	server := NewServer(t, Config{Provider: scripted.NewProvider(stage), Tools: tools, Options: options})
	d := &drive{Server: server, stage: stage, conversation: Conversation}
	for _, line := range lines(s.Drive) {
		if err := d.line(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	server.Stop()
	d.show("end")
	for _, problem := range stage.Problems() {
		t.Errorf("script: %s", problem)
	}
	if n := stage.Remaining(); n > 0 {
		t.Errorf("script: nobody asked for %d of its responses", n)
	}
	Check(t, server.Memory, Conversation)
	CheckRequests(t, stage.Requests(), server.Memory.Outputs(Conversation))
	p := &Played{
		Scenario: s, Memory: server.Memory, Tools: tools, Options: options, Requests: stage.Requests(),
		Journal: JournalText(server.Memory.Records(Conversation)), Timeline: d.timeline.String() + d.ran(),
	}
	checkWithheld(t, p)
	return p
}

func (d *drive) ran() string {
	var b strings.Builder
	for _, e := range d.Ran() {
		fmt.Fprintf(&b, "ran %s for %s with %s\n", e.Tool, e.Call, e.Arguments)
	}
	return b.String()
}

// show adds what a page shows now to the timeline.
func (d *drive) show(at string) {
	timeline := &agent.Timeline{}
	for r, err := range d.Memory.Read(context.Background(), d.conversation, 0) {
		if err != nil {
			d.t.Fatal(err)
		}
		timeline.Apply(r)
	}
	timeline.SetDraft(d.Engine.Draft(d.conversation))
	fmt.Fprintf(&d.timeline, "# %s\n%s", at, OutlineText(timeline))
}
