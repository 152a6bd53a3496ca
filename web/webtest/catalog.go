package webtest

import (
	"context"
	"testing"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/connect"
)

// A catalog connects stored providers as the program does.
type catalog struct {
	db          *models.DB
	connections *connect.Connections
}

func newCatalog(tb testing.TB, db *models.DB) catalog {
	connections := connect.New()
	tb.Cleanup(connections.Close)
	return catalog{db, connections}
}

// Agent implements [agent.Catalog].
func (c catalog) Agent(ctx context.Context, id agent.AgentID) (agent.Agent, error) {
	return c.db.Agents().Get(ctx, id)
}

// Connect implements [agent.Catalog].
func (c catalog) Connect(ctx context.Context, ref agent.ModelRef) (agent.Connection, error) {
	row, err := c.db.Providers().Get(ctx, ref.Provider)
	if err != nil {
		return agent.Connection{}, &providers.Error{Category: providers.CategoryConfiguration}
	}
	p, err := c.open(ctx, row)
	return agent.Connection{Provider: p, Retry: row.Retry}, err
}

func (c catalog) open(_ context.Context, p models.Provider) (providers.Provider, error) {
	config := connect.Config{
		ID: p.ID, API: p.API, BaseURL: p.BaseURL, AllowPrivateNetwork: p.AllowPrivateNetwork,
		StreamUsage: p.StreamUsage, MaxOutputTokens: p.MaxOutputTokens,
	}
	if p.Credential != models.CredentialNone {
		config.Key = func(ctx context.Context) (string, error) {
			key, err := c.db.Providers().Key(ctx, p.ID)
			return key.Reveal(), err
		}
	}
	return c.connections.Open(config)
}
