package models

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"countersign/agent"
	"countersign/providers"
	"countersign/providers/scripted"
)

var ann = agent.Actor{User: "ann", Name: "Ann"}

// A host is an engine on a database. Its model asks for the tool save once.
type host struct {
	*agent.Engine
	Journal
	t      *testing.T
	script *scripted.Script
	// save is what the tool does.
	save func(ctx context.Context) (agent.Result, error)
}

// newHost starts an engine.
func newHost(t *testing.T, db *DB, save func(context.Context) (agent.Result, error)) *host {
	t.Helper()
	script, err := scripted.Parse(`
match results 0
call call_1 save {}
finish tool_calls
---
text "Done."
finish stop
`)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{Journal: db.Journal(), t: t, script: script, save: save}
	h.Engine = agent.NewEngine(agent.Config{
		Journal: h.Journal, Index: h.Journal, Catalog: h, Tools: []agent.Tool{saveTool{h}}, Bounds: agent.Bounds{PerPerson: 16},
	})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) stop() {
	h.t.Helper()
	if err := h.Shutdown(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// create begins the n-th conversation.
func (h *host) create(n int) (agent.RunRef, error) {
	m := agent.SendMessage{Message: agent.MessageID(fmt.Sprint("m-", n)), Text: "Go.", Author: ann}
	sent, err := h.Create(h.t.Context(), agent.NewConversation{Agent: agent.Agent{ID: "agent"}, SendMessage: m})
	return agent.RunRef{Conversation: sent.Conversation, Run: sent.Run}, err
}

// await waits until a run has a status, and returns its state.
func (h *host) await(r agent.RunRef, status agent.RunStatus) *agent.RunState {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	following, _ := h.Follow(r.Conversation)
	defer following.Close()
	for {
		s := h.state(r)
		if s.Status == status {
			return s
		}
		if _, err := following.Next(ctx); err != nil {
			h.t.Fatalf("the run is %s, not %s", s.Status, status)
		}
	}
}

func (h *host) state(r agent.RunRef) *agent.RunState {
	h.t.Helper()
	s := &agent.RunState{}
	for rec, err := range h.ReadRun(h.t.Context(), r.Conversation, r.Run) {
		if err != nil {
			h.t.Fatal(err)
		}
		s.Apply(rec)
	}
	return s
}

// approve allows the calls of the open card.
func (h *host) approve(r agent.RunRef) error {
	h.t.Helper()
	card := h.state(r).Approval
	var verdicts []agent.CallDecision
	for _, c := range card.Calls {
		verdicts = append(verdicts, agent.CallDecision{Call: c.Call, Binding: c.Binding, Verdict: agent.VerdictAllow})
	}
	return h.Decide(h.t.Context(), r, card.Interaction, ann, verdicts)
}

// Agent implements [agent.Catalog].
func (*host) Agent(context.Context, agent.AgentID) (agent.Agent, error) {
	return agent.Agent{ID: "agent", Tools: []string{"save"}}, nil
}

// Connect implements [agent.Catalog].
func (h *host) Connect(context.Context, agent.ModelRef) (agent.Connection, error) {
	return agent.Connection{Provider: h}, nil
}

// Stream implements [providers.Provider].
func (h *host) Stream(ctx context.Context, r providers.Request) iter.Seq2[providers.Event, error] {
	return scripted.NewProvider(scripted.NewStage(h.script)).Stream(ctx, r)
}

type saveTool struct{ *host }

func (saveTool) Definition() agent.ToolDefinition {
	return agent.ToolDefinition{Name: "save", Title: "Save", Parameters: []byte(`{"type":"object"}`)}
}

func (s saveTool) Call(ctx context.Context, _ agent.Invocation) (agent.Result, error) {
	return s.save(ctx)
}
