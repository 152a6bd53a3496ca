package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"countersign/agent"
)

// An applying is a setup under way, inside its transaction.
type applying struct {
	db        *DB
	tx        *gorm.DB
	newcomers map[string]userRow      // by email key
	weakened  []int                   // the users who were admins
	settle    []func(context.Context) // what to do once all is written
}

func (a *applying) all(s Setup) ([]Applied, error) {
	var applied []Applied
	for i, p := range s.Providers {
		outcome, err := a.provider(p)
		if err != nil {
			return nil, itemFailed(SectionProviders, i, err)
		}
		applied = append(applied, Applied{SectionProviders, p.Name, outcome})
	}
	for i, c := range s.Connectors {
		outcome, err := a.connector(c)
		if err != nil {
			return nil, itemFailed(SectionConnectors, i, err)
		}
		applied = append(applied, Applied{SectionConnectors, c.Name, outcome})
	}
	for i, g := range s.Agents {
		outcome, err := a.agent(g)
		if err != nil {
			return nil, itemFailed(SectionAgents, i, err)
		}
		applied = append(applied, Applied{SectionAgents, g.Name, outcome})
	}
	for i, u := range s.Users {
		outcome, err := a.user(i, u)
		if err != nil {
			return nil, itemFailed(SectionUsers, i, err)
		}
		applied = append(applied, Applied{SectionUsers, u.Email, outcome})
	}
	for i, r := range s.Rules {
		outcome, err := a.rule(r)
		if err != nil {
			return nil, itemFailed(SectionPolicy, i, err)
		}
		applied = append(applied, Applied{SectionPolicy, r.Name, outcome})
	}
	if s.Settings != nil {
		outcome, err := a.settings(s.Settings)
		if err != nil {
			return nil, itemFailed(SectionSettings, 0, err)
		}
		applied = append(applied, Applied{SectionSettings, "server", outcome})
	}
	return applied, a.anAdminIsLeft()
}

// itemFailed names the item in an error that is about it.
func itemFailed(section string, i int, err error) error {
	if invalid := (Invalid)(nil); errors.As(err, &invalid) {
		return &SetupError{section, i, invalid}
	}
	return err
}

// take looks for a row and reports whether it is there.
func take[T any](tx *gorm.DB, where string, arg any) (row T, there bool, err error) {
	err = tx.Take(&row, where, arg).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row, false, nil
	}
	return row, err == nil, err
}

func (a *applying) agent(s AgentSetup) (Outcome, error) {
	row, there, err := take[agentRow](a.tx, "name = ?", s.Name)
	if err != nil {
		return "", err
	}
	g := agent.Agent{ID: agent.AgentID(agent.NewID("g_")), Name: s.Name}
	if there {
		if g, err = row.agent(); err != nil {
			return "", err
		}
	}
	if s.Model != nil {
		if g.Model, err = a.model(*s.Model); err != nil {
			return "", err
		}
	} else if !there {
		return "", Invalid{"model": "A new agent needs a model."}
	}
	if s.Reviewer != nil {
		g.Reviewer = agent.ModelRef{}
		if *s.Reviewer != (SetupModel{}) {
			if g.Reviewer, err = a.model(*s.Reviewer); err != nil {
				return "", reviewerInvalid(err)
			}
		}
	}
	s.Change(&g)
	now, err := a.db.Agents().row(g)
	switch {
	case err != nil:
		return "", err
	case !there:
		return Created, a.tx.Create(&now).Error
	case bytes.Equal(now.Definition, row.Definition):
		return Unchanged, nil
	}
	return Updated, a.tx.Model(&agentRow{}).Where("id = ?", row.ID).Select("definition", "updated_at").Updates(now).Error
}

// reviewerInvalid has what is wrong with a model be about the reviewer.
func reviewerInvalid(err error) error {
	var invalid Invalid
	if errors.As(err, &invalid) {
		return Invalid{"reviewer": invalid["model"]}
	}
	return err
}

// model finds the provider that is named and the model among those it lists.
func (a *applying) model(m SetupModel) (agent.ModelRef, error) {
	row, there, err := take[providerRow](a.tx, "name = ?", m.Provider)
	if err != nil {
		return agent.ModelRef{}, err
	}
	if !there {
		return agent.ModelRef{}, Invalid{"model": fmt.Sprintf("There is no provider %q.", m.Provider)}
	}
	p, err := row.provider()
	if err != nil {
		return agent.ModelRef{}, err
	}
	for _, listed := range p.Models {
		if listed.Name == m.Name {
			return agent.ModelRef{Provider: p.ID, ProviderName: p.Name, Model: m.Name}, nil
		}
	}
	return agent.ModelRef{}, Invalid{"model": fmt.Sprintf("The provider %q does not list the model %q.", m.Provider, m.Name)}
}

func (a *applying) settings(change func(*Settings)) (Outcome, error) {
	stored, err := readSettings(a.tx)
	if err != nil {
		return "", err
	}
	now := stored
	change(&now)
	if now == stored {
		return Unchanged, nil
	}
	if err := now.check(); err != nil {
		return "", err
	}
	return Updated, a.db.writeSettings(a.tx, now)
}
