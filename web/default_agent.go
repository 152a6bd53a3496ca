package web

import (
	"context"

	"countersign/agent"
	"countersign/models"
)

// defaultAgent is the agent that a server starts with.
func defaultAgent(model agent.ModelRef) agent.Agent {
	return agent.Agent{
		Name: "Assistant",
		Instructions: "You are a helpful assistant. Be exact and brief. Say so when you do not know something. " +
			"Use the notes of this conversation for what should be kept.",
		Model:  model,
		Tools:  []string{"current_time", "notes_list", "notes_read", "notes_write", "notes_delete"},
		Output: agent.OutputOptions{Reasoning: true},
	}
}

// keepAgentUsable makes sure that the default agent exists and has a model
// that is there, after the providers have changed. A real provider takes over
// from the practice one. Without any model it does nothing.
func (s *Server) keepAgentUsable(ctx context.Context) error {
	list, err := s.config.DB.Providers().List(ctx)
	if err != nil {
		return err
	}
	best, ok := firstModel(list)
	if !ok {
		return nil
	}
	chosen, err := s.config.DB.Agents().EnsureDefault(ctx, defaultAgent(best))
	if err != nil || !practises(list, chosen.Model) && offers(list, chosen.Model) {
		return err
	}
	if chosen.Model == best {
		return nil
	}
	chosen.Model = best
	_, err = s.config.DB.Agents().Save(ctx, chosen)
	return err
}

// firstModel is the default of the first provider, the practice one last.
func firstModel(list []models.Provider) (agent.ModelRef, bool) {
	var found agent.ModelRef
	for _, p := range list {
		if len(p.Models) == 0 {
			continue
		}
		found = agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: p.Models[0].Name}
		if !isPractice(p) {
			break
		}
	}
	return found, found.Provider != ""
}

func offers(list []models.Provider, ref agent.ModelRef) bool {
	for _, p := range list {
		for _, model := range p.Models {
			if p.ID == ref.Provider && model.Name == ref.Model {
				return true
			}
		}
	}
	return false
}

func practises(list []models.Provider, ref agent.ModelRef) bool {
	for _, p := range list {
		if p.ID == ref.Provider {
			return isPractice(p)
		}
	}
	return false
}
