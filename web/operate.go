package web

import (
	"context"
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// What an operator does beside the pages has to reach what the server keeps in
// memory.

// EndSessions signs a person out everywhere and closes their sockets.
func (s *Server) EndSessions(ctx context.Context, user agent.UserID) error {
	return s.endUser(ctx, user)
}

// KeyRevoked cuts off what a program follows with a key that was revoked.
func (s *Server) KeyRevoked(id agent.KeyID) { s.programs.KeyRevoked(id) }

// Program answers a command as the API answers a program of a person.
func (s *Server) Program(as models.User) http.Handler { return s.programs.Operator(as) }

// Resume has the engine look at a run that is not over. One that it works on
// already is left alone.
func (s *Server) Resume(run agent.RunRef) { s.config.Engine.Resume(run) }

// Import opens a conversation of a person that begins with what was said in
// another one.
func (s *Server) Import(ctx context.Context, with agent.Agent, said agent.HistoryCopied, by agent.Actor) (agent.ConversationID, error) {
	return s.config.Engine.Open(ctx, agent.NewConversation{
		Agent: with, Model: with.Model, Copied: &said, SendMessage: agent.SendMessage{Message: newMessageID(), Author: by},
	})
}

// Disable bars a person from signing in, signs them out everywhere and stops
// their runs.
func (s *Server) Disable(ctx context.Context, user agent.UserID) error {
	return s.disable(ctx, user, agent.Actor{})
}

// TestProvider tries a stored connection, as its page does and for its page to
// show. It takes 10 seconds at most.
func (s *Server) TestProvider(ctx context.Context, p models.Provider) (views.ProviderTest, error) {
	return s.test(ctx, p, "")
}

// ProvidersChanged forgets how providers fared and makes sure that the default
// agent has a model. added says that a provider is new. It returns the agent's
// name if that has another model now, else "".
func (s *Server) ProvidersChanged(ctx context.Context, added bool) (moved string, err error) {
	s.health.clear()
	chosen, err := s.keepAgentUsable(ctx, added)
	if chosen == nil {
		return "", err
	}
	return chosen.Name, nil
}

// SettingsChanged has the engine keep to the settings of the server, and the
// connections to those of connectors. It is called when the server starts, too.
func (s *Server) SettingsChanged(ctx context.Context) error {
	settings, err := s.config.DB.Settings(ctx)
	if err == nil {
		s.config.Engine.SetBounds(settings.Limits)
	}
	if err == nil && s.config.Connectors != nil {
		err = s.config.Connectors.Refresh(ctx)
	}
	return err
}
