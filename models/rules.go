package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"countersign/agent"
)

// Rules stores the policy of the server. What is changed holds from the next
// call on.
type Rules struct{ db *DB }

var _ agent.Rulebook = Rules{}

// Rules returns the store of policy rules.
func (db *DB) Rules() Rules { return Rules{db} }

type ruleRow struct {
	ID         agent.RuleID
	Name       string
	Definition []byte
	CreatedAt  stamp `gorm:"autoCreateTime:false"`
	UpdatedAt  stamp `gorm:"autoUpdateTime:false"`
}

func (ruleRow) TableName() string { return "policy_rules" }

// storedRule is the JSON of what a rule is beside its name.
type storedRule struct {
	Do        agent.PolicyVerb      `json:"do"`
	Hard      bool                  `json:"hard,omitempty"`
	Agent     agent.AgentID         `json:"agent,omitempty"`
	Role      agent.Role            `json:"role,omitempty"`
	Connector string                `json:"connector,omitempty"`
	Tool      string                `json:"tool,omitempty"`
	Match     []agent.ArgumentMatch `json:"match,omitempty"`
}

func (r ruleRow) rule() (agent.PolicyRule, error) {
	var d storedRule
	if err := json.Unmarshal(r.Definition, &d); err != nil {
		return agent.PolicyRule{}, fmt.Errorf("decode policy rule %s: %w", r.ID, err)
	}
	return agent.PolicyRule{
		ID: r.ID, Name: r.Name, Do: d.Do, Hard: d.Hard, Agent: d.Agent, Role: d.Role,
		Connector: d.Connector, Tool: d.Tool, Match: d.Match,
	}, nil
}

func (s Rules) row(r agent.PolicyRule) (ruleRow, error) {
	if problems := r.Problems(); len(problems) > 0 {
		return ruleRow{}, Invalid(problems)
	}
	definition, err := json.Marshal(storedRule{r.Do, r.Hard, r.Agent, r.Role, r.Connector, r.Tool, r.Match})
	now := stampOf(s.db.now())
	return ruleRow{ID: r.ID, Name: r.Name, Definition: definition, CreatedAt: now, UpdatedAt: now}, err
}

// Policy returns every rule, oldest first. It implements [agent.Rulebook].
func (s Rules) Policy(ctx context.Context) (agent.Policy, error) {
	var rows []ruleRow
	if err := s.db.read(ctx).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list policy rules", err)
	}
	policy := make(agent.Policy, len(rows))
	for i, r := range rows {
		var err error
		if policy[i], err = r.rule(); err != nil {
			return nil, err
		}
	}
	return policy, nil
}

// Get returns a rule, or [ErrNotFound].
func (s Rules) Get(ctx context.Context, id agent.RuleID) (agent.PolicyRule, error) {
	var row ruleRow
	if err := s.db.read(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return agent.PolicyRule{}, failed(ctx, "read policy rule", err)
	}
	return row.rule()
}

// Save stores a rule as a whole and returns it. Without an ID it is a new one.
// The error is [Invalid], also if the name is taken or there are too many
// rules, or [ErrNotFound].
func (s Rules) Save(ctx context.Context, r agent.PolicyRule) (agent.PolicyRule, error) {
	r.Name = strings.TrimSpace(r.Name)
	isNew := r.ID == ""
	if isNew {
		r.ID = newRuleID()
	}
	row, err := s.row(r)
	if err != nil {
		return agent.PolicyRule{}, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		if isNew {
			return addRule(tx, row)
		}
		tx = tx.Model(&ruleRow{}).Where("id = ?", r.ID).Select("name", "definition", "updated_at").Updates(row)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	var invalid Invalid
	switch {
	case isDuplicate(err):
		return agent.PolicyRule{}, Invalid{"name": "There is a rule of this name."}
	case errors.As(err, &invalid):
		return agent.PolicyRule{}, invalid
	case err != nil:
		return agent.PolicyRule{}, failed(ctx, "save policy rule", err)
	}
	return r, nil
}

// Remove removes a rule. The error is [ErrNotFound] if it is gone.
func (s Rules) Remove(ctx context.Context, id agent.RuleID) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		gone := tx.Delete(&ruleRow{}, "id = ?", id)
		if gone.Error == nil && gone.RowsAffected == 0 {
			return ErrNotFound
		}
		return gone.Error
	})
	return failed(ctx, "remove policy rule", err)
}

func newRuleID() agent.RuleID { return agent.RuleID(agent.NewID("y_")) }

func addRule(tx *gorm.DB, row ruleRow) error {
	var n int64
	if err := tx.Model(&ruleRow{}).Count(&n).Error; err != nil {
		return err
	}
	if n >= agent.MaxRules {
		return Invalid{"name": fmt.Sprintf("There are %d rules, which is the most.", agent.MaxRules)}
	}
	return tx.Create(&row).Error
}
