// Package catalog gives the engine what is stored: the agents, and providers
// that are ready to be asked. It is where rows become connections, so that
// storage and adapters need not know each other.
package catalog

import (
	"context"
	"errors"
	"log/slog"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/connect"
	"countersign/providers/token"
	"countersign/providers/upstream"
)

// A Catalog is an [agent.Catalog] of what is stored now: a change acts on the
// next call. It owns the network connections and tokens that providers share.
// Its methods are safe for use by multiple goroutines.
type Catalog struct {
	db          *models.DB
	connections *connect.Connections
	tokens      *token.Tokens
	told        func(id, name string, err error) // nil if nobody listens
}

var (
	_ agent.Catalog = (*Catalog)(nil)
	_ agent.Models  = (*Catalog)(nil)
)

// New returns the catalog of a database. The log gets why a command for a
// token failed.
func New(db *models.DB, log *slog.Logger) *Catalog {
	return &Catalog{db: db, connections: connect.New(), tokens: token.New(token.Config{Log: log})}
}

// Close stops the commands that run and ends idle connections. The database
// stays open.
func (c *Catalog) Close() {
	c.tokens.Close()
	c.connections.Close()
}

// Agent returns an agent as it is stored.
func (c *Catalog) Agent(ctx context.Context, id agent.AgentID) (agent.Agent, error) {
	return c.db.Agents().Get(ctx, id)
}

// Connect returns the provider that a reference names.
func (c *Catalog) Connect(ctx context.Context, ref agent.ModelRef) (agent.Connection, error) {
	row, err := c.db.Providers().Get(ctx, ref.Provider)
	if errors.Is(err, models.ErrNotFound) {
		err = upstream.NewError("", providers.CategoryConfiguration, "provider_removed")
	}
	if err != nil {
		return agent.Connection{}, err
	}
	p, err := c.Open(ctx, row)
	if err == nil && c.told != nil {
		p = heard{p, func(err error) { c.told(row.ID, row.Name, err) }}
	}
	connection := agent.Connection{Provider: p, Retry: row.Retry}
	for _, m := range row.Models {
		if m.Name == ref.Model {
			connection.Price = m.Price
			connection.NoTools = m.Tools != nil && !*m.Tools
			connection.NoReasoning = m.Reasoning != nil && !*m.Reasoning
		}
	}
	return connection, err
}

// Models returns every model of every provider with what an admin says that it
// takes.
func (c *Catalog) Models(ctx context.Context) ([]agent.ModelTakes, error) {
	rows, err := c.db.Providers().List(ctx)
	var list []agent.ModelTakes
	for _, p := range rows {
		for _, m := range p.Models {
			list = append(list, agent.ModelTakes{
				ModelRef: agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: m.Name}, Images: m.Images, PDF: m.PDF,
			})
		}
	}
	return list, err
}

// Open returns a provider as it is stored. The key is looked up for each
// request. The error is a [*providers.Error] of category configuration.
func (c *Catalog) Open(_ context.Context, p models.Provider) (providers.Provider, error) {
	config := connect.Config{
		ID: p.ID, API: p.API, BaseURL: p.BaseURL, AllowPrivateNetwork: p.AllowPrivateNetwork,
		StreamUsage: p.StreamUsage, OutputLimitField: p.OutputLimitField,
		PromptCaching: p.PromptCaching, Thinking: p.Thinking, MaxOutputTokens: p.MaxOutputTokens,
		Bounds: upstream.Bounds{FirstByte: p.Timeouts.FirstByte, Idle: p.Timeouts.Idle, Attempt: p.Timeouts.Attempt},
	}
	switch p.Credential {
	case models.CredentialNone:
	case models.CredentialCommand:
		config.Bearer = true
		config.Key = func(ctx context.Context) (string, error) {
			return c.tokens.Token(ctx, p.ID, token.Command(p.CredentialCommand))
		}
	default:
		config.Key = func(ctx context.Context) (string, error) {
			key, err := c.db.Providers().Key(ctx, p.ID)
			return key.Reveal(), err
		}
	}
	return c.connections.Open(config)
}
