package web

import (
	"context"

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

// SettingsChanged has the engine keep to the settings of the server. It is
// called when the server starts, too.
func (s *Server) SettingsChanged(ctx context.Context) error {
	settings, err := s.config.DB.Settings(ctx)
	if err == nil {
		s.config.Engine.SetBounds(settings.Limits)
	}
	return err
}
