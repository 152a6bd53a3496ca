package models

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"countersign/agent"
	"countersign/providers"
)

// A Setup is what a provisioning file asks for. Each item names what it is
// about and carries a change, which is given what is stored, or what is new,
// and says by field what is wrong with the result. What a change leaves alone
// is kept.
type Setup struct {
	Providers  []ProviderSetup
	Agents     []AgentSetup
	Users      []UserSetup
	Rules      []RuleSetup
	Connectors []ConnectorSetup
	// Settings changes those of the server; nil leaves them alone.
	Settings func(*Settings)
}

// A ProviderSetup creates or changes the provider of a name.
type ProviderSetup struct {
	Name string
	API  providers.API // "" keeps it; it can't change
	// Credential may give a key to be sealed. One for memory or the keychain
	// is entered by a person; a setup only says that it is kept there. Nil
	// keeps what is stored, and is none for a new provider.
	Credential *Credential
	Change     func(*Provider) Invalid
}

// An AgentSetup creates or changes the agent of a name.
type AgentSetup struct {
	Name  string
	Model *SetupModel // nil keeps it; a new agent needs one
	// Reviewer is the model that judges calls; nil keeps it, and the zero
	// SetupModel is for none.
	Reviewer *SetupModel
	// Change may set everything but the name and the model.
	Change func(*agent.Agent)
}

// A SetupModel names a model that a provider lists.
type SetupModel struct{ Provider, Name string }

// A UserSetup creates or changes the person with an email.
type UserSetup struct {
	Email string
	Name  string // "" keeps it
	Role  Role   // "" keeps it
	// Password is for a new person: whoever is there keeps their own.
	Password Secret
}

// A RuleSetup creates or changes the policy rule of a name.
type RuleSetup struct {
	Name string
	// Agent is the name of the agent that it is about, "" for any; nil keeps it.
	Agent *string
	// Change may set everything but the name and the agent.
	Change func(*agent.PolicyRule)
}

// An Outcome is what became of an item.
type Outcome string

const (
	Created   Outcome = "created"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged"
)

// The sections of a setup.
const (
	SectionProviders  = "providers"
	SectionAgents     = "agents"
	SectionUsers      = "users"
	SectionPolicy     = "policy"
	SectionConnectors = "connectors"
	// SectionSettings has one item, the server.
	SectionSettings = "settings"
)

// Applied says what became of one item.
type Applied struct {
	Section string
	Name    string
	Outcome Outcome
}

// A SetupError says which item can't be applied and why.
type SetupError struct {
	Section string
	Index   int // in its section
	Invalid Invalid
}

func (e *SetupError) Error() string {
	return fmt.Sprintf("%s[%d]: %v", e.Section, e.Index, e.Invalid)
}

// Apply carries out a setup, the whole of it or, with a [*SetupError] for the
// first item that can't be, nothing. Applying it again changes nothing. The
// outcomes are in the order of the items: providers, connectors, agents,
// users, policy, settings.
func (db *DB) Apply(ctx context.Context, s Setup) ([]Applied, error) {
	// Passwords are hashed before anything else waits for it.
	newcomers, err := db.newcomers(ctx, s.Users)
	if err != nil {
		return nil, err
	}
	db.sealing.RLock()
	defer db.sealing.RUnlock()
	var applied []Applied
	var a applying
	err = db.write(ctx, func(tx *gorm.DB) error {
		a = applying{db: db, tx: tx, newcomers: newcomers}
		applied, err = a.all(s)
		return err
	})
	if err == nil {
		for _, settle := range a.settle {
			settle(ctx)
		}
	}
	if wrong := new(SetupError); errors.As(err, &wrong) {
		return nil, wrong
	}
	return applied, failed(ctx, "apply setup", err)
}
