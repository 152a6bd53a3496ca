package models

import (
	"bytes"
	"fmt"

	"countersign/agent"
)

func (a *applying) rule(s RuleSetup) (Outcome, error) {
	row, there, err := take[ruleRow](a.tx, "name = ?", s.Name)
	if err != nil {
		return "", err
	}
	r := agent.PolicyRule{ID: newRuleID(), Name: s.Name}
	if there {
		if r, err = row.rule(); err != nil {
			return "", err
		}
	}
	if s.Agent != nil {
		if r.Agent, err = a.agentNamed(*s.Agent); err != nil {
			return "", err
		}
	}
	s.Change(&r)
	now, err := a.db.Rules().row(r)
	switch {
	case err != nil:
		return "", err
	case !there:
		return Created, addRule(a.tx, now)
	case bytes.Equal(now.Definition, row.Definition):
		return Unchanged, nil
	}
	return Updated, a.tx.Model(&ruleRow{}).Where("id = ?", row.ID).Select("definition", "updated_at").Updates(now).Error
}

// agentNamed returns the id of an agent, "" for no name.
func (a *applying) agentNamed(name string) (agent.AgentID, error) {
	if name == "" {
		return "", nil
	}
	row, there, err := take[agentRow](a.tx, "name = ?", name)
	if err == nil && !there {
		err = Invalid{"agent": fmt.Sprintf("There is no agent %q.", name)}
	}
	return row.ID, err
}
