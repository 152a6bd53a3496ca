package models

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type connectorToolRow struct {
	Connector string
	Name      string
	Place     int // in the newest list, -1 if it is not there
	Verb      ToolVerb
	Declared  []byte
	Accepted  []byte
}

func (connectorToolRow) TableName() string { return "connector_tools" }

func (r connectorToolRow) tool() (ConnectorTool, error) {
	t := ConnectorTool{Name: r.Name, Verb: r.Verb, changed: !bytes.Equal(r.Declared, r.Accepted)}
	err := json.Unmarshal(r.Declared, &t.Declared)
	if err == nil {
		err = json.Unmarshal(r.Accepted, &t.Accepted)
	}
	if err != nil {
		return t, fmt.Errorf("decode a tool of connector %s: %w", r.Connector, err)
	}
	return t, nil
}

// Tools returns the tools of a connector as they were last listed.
func (s Connectors) Tools(ctx context.Context, id string) ([]ConnectorTool, error) {
	var rows []connectorToolRow
	if err := s.db.read(ctx).Where("connector = ? AND place >= 0", id).Order("place").Find(&rows).Error; err != nil {
		return nil, failed(ctx, "list the tools of a connector", err)
	}
	list := make([]ConnectorTool, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = r.tool(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Listed records the tools that a server has listed, each name once. One that
// is new is accepted as it is; one that comes back is compared with what was
// accepted then.
func (s Connectors) Listed(ctx context.Context, id string, names []string, declared map[string]ToolDeclaration) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		if _, there, err := take[connectorRow](tx, "id = ?", id); err != nil || !there {
			return err // removed meanwhile
		}
		if err := tx.Model(&connectorToolRow{}).Where("connector = ?", id).UpdateColumn("place", -1).Error; err != nil {
			return err
		}
		for i, name := range names {
			text, err := json.Marshal(declared[name])
			if err != nil {
				return err
			}
			row := connectorToolRow{Connector: id, Name: name, Place: i, Declared: text, Accepted: text}
			err = tx.Clauses(clause.OnConflict{
				Columns: []clause.Column{{Name: "connector"}, {Name: "name"}}, DoUpdates: clause.AssignmentColumns([]string{"place", "declared"}),
			}).Create(&row).Error
			if err != nil {
				return err
			}
		}
		return nil
	})
	return failed(ctx, "record the tools of a connector", err)
}

// SetVerb says what becomes of the calls of a tool. The error may be
// [ErrNotFound] or [Invalid].
func (s Connectors) SetVerb(ctx context.Context, id, tool string, verb ToolVerb) error {
	if !slices.Contains(ToolVerbs, verb) {
		return Invalid{"verb": "Choose what becomes of its calls."}
	}
	return s.setTool(ctx, id, tool, "verb", verb)
}

// Accept accepts a tool as it is declared, if that is still what was seen.
// The error is [ErrNotFound] if it is not.
func (s Connectors) Accept(ctx context.Context, id, tool string, seen ToolDeclaration) error {
	text, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	err = s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Model(&connectorToolRow{}).Where("connector = ? AND name = ? AND declared = ?", id, tool, text).UpdateColumn("accepted", text)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	return failed(ctx, "accept a tool", err)
}

func (s Connectors) setTool(ctx context.Context, id, tool, column string, value any) error {
	err := s.db.write(ctx, func(tx *gorm.DB) error {
		tx = tx.Model(&connectorToolRow{}).Where("connector = ? AND name = ?", id, tool).UpdateColumn(column, value)
		if tx.Error == nil && tx.RowsAffected == 0 {
			return ErrNotFound
		}
		return tx.Error
	})
	return failed(ctx, "change a tool of a connector", err)
}
