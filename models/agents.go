package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"time"

	"gorm.io/gorm"

	"countersign/agent"
)

// Agents stores configured agents.
type Agents struct{ db *DB }

// Agents returns the store of configured agents.
func (db *DB) Agents() Agents { return Agents{db} }

type agentRow struct {
	ID         agent.AgentID
	Name       string
	Definition []byte
	CreatedAt  stamp `gorm:"autoCreateTime:false"`
	UpdatedAt  stamp `gorm:"autoUpdateTime:false"`
}

func (agentRow) TableName() string { return "agents" }

// storedAgent is the JSON of what an agent is beside its name.
type storedAgent struct {
	Instructions string              `json:"instructions"`
	Model        agent.ModelRef      `json:"model"`
	Tools        []string            `json:"tools"`
	Reviewer     agent.ModelRef      `json:"reviewer,omitzero"`
	Output       agent.OutputOptions `json:"output"`
	ModelCalls   int                 `json:"model_calls,omitempty"`
	Approval     time.Duration       `json:"approval_ns,omitempty"`
	Question     time.Duration       `json:"question_ns,omitempty"`
	Review       time.Duration       `json:"review_ns,omitempty"`
	Safety       agent.Safety        `json:"safety,omitzero"`
}

func (r agentRow) agent() (agent.Agent, error) {
	var d storedAgent
	if err := json.Unmarshal(r.Definition, &d); err != nil {
		return agent.Agent{}, fmt.Errorf("decode agent %s: %w", r.ID, err)
	}
	return agent.Agent{
		ID: r.ID, Name: r.Name, Instructions: d.Instructions, Model: d.Model, Tools: d.Tools, Reviewer: d.Reviewer, Output: d.Output,
		Limits: agent.Limits{ModelCalls: d.ModelCalls, Approval: d.Approval, Question: d.Question, Review: d.Review},
		Safety: d.Safety,
	}, nil
}

func (s Agents) row(a agent.Agent) (agentRow, error) {
	if err := checkAgent(a); err != nil {
		return agentRow{}, err
	}
	definition, err := json.Marshal(storedAgent{a.Instructions, a.Model, a.Tools, a.Reviewer, a.Output, a.Limits.ModelCalls, a.Limits.Approval, a.Limits.Question, a.Limits.Review, a.Safety})
	now := stampOf(s.db.now())
	return agentRow{ID: a.ID, Name: a.Name, Definition: definition, CreatedAt: now, UpdatedAt: now}, err
}

const (
	maxInstructions = 64 << 10 // bytes
	// MaxModelCalls is the highest limit on the model calls of a run.
	MaxModelCalls = 50
)

// toolName is the name of a tool, or of all those of a connector.
var toolName = regexp.MustCompile(`^([A-Za-z0-9_-]{1,64}|mcp__[A-Za-z0-9_-]{1,32}__\*)$`)

func checkAgent(a agent.Agent) error {
	v := Invalid{}
	v.check("name", checkName(a.Name))
	if len(a.Instructions) > maxInstructions {
		v["instructions"] = "Instructions may be 64 KiB long."
	}
	if agent.LooksLikeKey(a.Instructions) {
		v["instructions"] = "This looks like a key. Instructions go to the model with every message, so keep keys in a provider instead."
	}
	for _, t := range a.Tools {
		if !toolName.MatchString(t) {
			v["tools"] = "Choose from the tools that exist."
		}
	}
	if a.Limits.ModelCalls < 0 || a.Limits.ModelCalls > MaxModelCalls {
		v["model_calls"] = fmt.Sprintf("Enter a number from 1 to %d.", MaxModelCalls)
	}
	if a.Limits.Approval < 0 {
		v["approval"] = "A time limit can't be negative."
	}
	if a.Limits.Review < 0 || a.Limits.Review > agent.MaxReview {
		v["review"] = "Enter a time from 1s to 5m."
	}
	if a.Limits.Question < 0 {
		v["question"] = "A time limit can't be negative."
	}
	maps.Copy(v, a.Safety.Problems())
	return v.err()
}

// Get returns an agent, or [ErrNotFound].
func (s Agents) Get(ctx context.Context, id agent.AgentID) (agent.Agent, error) {
	var row agentRow
	if err := s.db.read(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return agent.Agent{}, failed(ctx, "read agent", err)
	}
	return row.agent()
}

// List returns every agent, oldest first.
func (s Agents) List(ctx context.Context) ([]agent.Agent, error) {
	var rows []agentRow
	if err := s.db.read(ctx).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list agents", err)
	}
	list := make([]agent.Agent, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.agent(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Save stores an agent as a whole and returns it. Without an ID it is a new
// one. The error is [Invalid], also if the name is taken, or [ErrNotFound].
func (s Agents) Save(ctx context.Context, a agent.Agent) (agent.Agent, error) {
	isNew := a.ID == ""
	if isNew {
		a.ID = agent.AgentID(agent.NewID("g_"))
	}
	row, err := s.row(a)
	if err != nil {
		return agent.Agent{}, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		if isNew {
			return tx.Create(&row).Error
		}
		tx = tx.Model(&agentRow{}).Where("id = ?", a.ID).Select("name", "definition", "updated_at").Updates(row)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	switch {
	case isDuplicate(err):
		return agent.Agent{}, Invalid{"name": "There is an agent of this name."}
	case err != nil:
		return agent.Agent{}, failed(ctx, "save agent", err)
	}
	return a, nil
}

// Change changes a stored agent, alone: nobody else's change is lost. The error
// is that of change, [Invalid], or [ErrNotFound].
func (s Agents) Change(ctx context.Context, id agent.AgentID, change func(*agent.Agent) error) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		var row agentRow
		if err := tx.Take(&row, "id = ?", id).Error; err != nil {
			return err
		}
		a, err := row.agent()
		if err != nil {
			return err
		}
		if err := change(&a); err != nil {
			return err
		}
		if row, err = s.row(a); err != nil {
			return err
		}
		return tx.Model(&agentRow{}).Where("id = ?", id).Select("name", "definition", "updated_at").Updates(row).Error
	})
	var invalid Invalid
	switch {
	case isDuplicate(err):
		return Invalid{"name": "There is an agent of this name."}
	case errors.As(err, &invalid):
		return invalid
	}
	return failed(ctx, "change agent", err)
}

// EnsureDefault returns the oldest agent. If there is none, it stores the
// given one and returns it: of two at once, one is stored.
func (s Agents) EnsureDefault(ctx context.Context, a agent.Agent) (agent.Agent, error) {
	a.ID = agent.AgentID(agent.NewID("g_"))
	row, err := s.row(a)
	if err != nil {
		return agent.Agent{}, err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		var stored agentRow
		err := tx.Order("created_at, id").Take(&stored).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return tx.Create(&row).Error
		}
		row = stored
		return err
	})
	if err != nil {
		return agent.Agent{}, failed(ctx, "store default agent", err)
	}
	return row.agent()
}
