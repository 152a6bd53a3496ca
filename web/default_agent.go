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
// over from the practice one. Without any model there is nothing to do. If the
// agent has another model then, a sentence says so.
func (s *Server) keepAgentUsable(ctx context.Context, added bool) (moved string, err error) {
	list, err := s.offers(ctx)
	if err != nil || len(list) == 0 {
		return "", err
	}
	best := list[max(0, slices.IndexFunc(list, func(o offer) bool { return !o.practice }))].ref
	chosen, err := s.config.DB.Agents().EnsureDefault(ctx, defaultAgent(best))
	if err != nil {
		return "", err
	}
	if now, offered := offerOf(list, chosen.Model); offered && !(added && now.practice) {
		return "", nil
	}
	chosen.Model = best
	_, err = s.config.DB.Agents().Save(ctx, chosen)
	return fmt.Sprintf(" The agent %s uses %s on %s now.", chosen.Name, best.Model, best.ProviderName), err
}
