package web

import (
	"context"
	"fmt"
	"slices"

	"countersign/agent"
)

// defaultAgent is the agent that a server starts with.
func defaultAgent(model agent.ModelRef) agent.Agent {
	return agent.Agent{
		Name: "Assistant",
		Instructions: "You are a helpful assistant. Be exact and brief. Say so when you do not know something. " +
			"Use the notes of this conversation for what should be kept.",
		Model:  model,
		Tools:  []string{"ask_user", "current_time", "notes_list", "notes_read", "notes_write", "notes_delete"},
		Output: agent.OutputOptions{Reasoning: true},
	}
}

// keepAgentUsable makes sure, after the providers have changed, that the default
// agent exists and that its model is offered. A provider that was added takes
// over from the practice one. Without any model there is nothing to do. It
// returns the agent if that has another model now, which somebody has to be
// told; else nil.
func (s *Server) keepAgentUsable(ctx context.Context, added bool) (*agent.Agent, error) {
	list, err := s.offers(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	best := list[max(0, slices.IndexFunc(list, func(o offer) bool { return !o.practice }))].ref
	chosen, err := s.config.DB.Agents().EnsureDefault(ctx, defaultAgent(best))
	if err != nil {
		return nil, err
	}
	if now, offered := offerOf(list, chosen.Model); offered && !(added && now.practice) {
		return nil, nil
	}
	chosen.Model = best
	if _, err = s.config.DB.Agents().Save(ctx, chosen); err != nil {
		return nil, err
	}
	s.log.InfoContext(ctx, "the default agent has another model", "agent", chosen.ID, "provider", best.Provider, "model", best.Model)
	return &chosen, nil
}

// movedWords say behind another sentence that an agent has another model.
func movedWords(moved *agent.Agent) string {
	if moved == nil {
		return ""
	}
	return fmt.Sprintf(" The agent %s uses %s on %s now.", moved.Name, moved.Model.Model, moved.Model.ProviderName)
}
