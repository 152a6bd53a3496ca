package models

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"countersign/agent"
)

// Settings are what admins set for the whole server. The zero value has every
// default.
type Settings struct {
	// KeepDays is for how many days a conversation that nobody uses is kept,
	// 0 for good; see [Conversations.DeleteUnused].
	KeepDays int
	Limits   agent.Bounds
}

// The largest settings.
const (
	MaxKeepDays    = 3650
	MaxPerPerson   = 1000
	MaxPerProvider = 10000
	MaxQueue       = 50 // a conversation's queue is read with its every change
	MaxToolCall    = time.Hour
)

// MinToolCall is the shortest limit of a tool call.
const MinToolCall = time.Second

type settingRow struct {
	Name      string
	Value     []byte
	UpdatedAt stamp `gorm:"autoUpdateTime:false"`
}

func (settingRow) TableName() string { return "settings" }

// The names of the rows, and what is stored in them.
const (
	settingRetention = "retention"
	settingLimits    = "limits"
)

type storedRetention struct {
	KeepDays int `json:"conversation_days,omitempty"`
}

type storedLimits struct {
	PerPerson   int           `json:"runs_per_person,omitempty"`
	PerProvider int           `json:"runs_per_provider,omitempty"`
	Queue       int           `json:"queued_messages,omitempty"`
	ToolCall    time.Duration `json:"tool_call_ns,omitempty"`
}

func (s Settings) check() error {
	v := Invalid{}
	within := func(field string, n, most int) {
		if n < 0 || n > most {
			v[field] = fmt.Sprintf("Enter a whole number from 1 to %d.", most)
		}
	}
	within("keep_days", s.KeepDays, MaxKeepDays)
	within("runs_per_person", s.Limits.PerPerson, MaxPerPerson)
	within("runs_per_provider", s.Limits.PerProvider, MaxPerProvider)
	within("queued_messages", s.Limits.Queue, MaxQueue)
	if d := s.Limits.ToolCall; d != 0 && (d < MinToolCall || d > MaxToolCall) {
		v["tool_call"] = "Enter a time from 1s to 1h."
	}
	return v.err()
}

// Settings returns the stored settings.
func (db *DB) Settings(ctx context.Context) (Settings, error) {
	s, err := readSettings(db.read(ctx))
	return s, failed(ctx, "read settings", err)
}

// SaveSettings stores settings as a whole. The error may be [Invalid].
func (db *DB) SaveSettings(ctx context.Context, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	err := db.write(ctx, func(tx *gorm.DB) error { return db.writeSettings(tx, s) })
	return failed(ctx, "save settings", err)
}

func readSettings(tx *gorm.DB) (Settings, error) {
	var rows []settingRow
	if err := tx.Find(&rows).Error; err != nil {
		return Settings{}, err
	}
	var retention storedRetention
	var limits storedLimits
	for _, row := range rows {
		var into any
		switch row.Name {
		case settingRetention:
			into = &retention
		case settingLimits:
			into = &limits
		default:
			continue
		}
		if err := json.Unmarshal(row.Value, into); err != nil {
			return Settings{}, fmt.Errorf("decode setting %s: %w", row.Name, err)
		}
	}
	return Settings{KeepDays: retention.KeepDays, Limits: agent.Bounds(limits)}, nil
}

func (db *DB) writeSettings(tx *gorm.DB, s Settings) error {
	for name, value := range map[string]any{
		settingRetention: storedRetention{s.KeepDays},
		settingLimits:    storedLimits(s.Limits),
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		row := settingRow{Name: name, Value: text, UpdatedAt: stampOf(db.now())}
		if err := tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "name"}}, UpdateAll: true}).Create(&row).Error; err != nil {
			return err
		}
	}
	return nil
}
