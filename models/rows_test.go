package models

import (
	"slices"
	"strings"
	"testing"

	"gorm.io/gorm"
)

func rowTypes() map[string]any {
	rows := map[string]any{}
	for _, r := range []interface{ TableName() string }{
		conversationRow{}, eventRow{}, runRow{}, interactionRow{}, outputRow{},
		userRow{}, sessionRow{}, invitationRow{}, erasedDecisionRow{}, providerRow{}, agentRow{}, noteRow{}, attachmentRow{}, attachmentPartRow{}, usageRow{}, settingRow{}, apiKeyRow{}, apiAnswerRow{}, endUserRow{}, endUserTokenRow{}, ruleRow{}, connectorRow{}, connectorToolRow{},
	} {
		rows[r.TableName()] = r
	}
	return rows
}

func columnsOf(t *testing.T, db *DB, row any) []string {
	t.Helper()
	s := gorm.Statement{DB: db.reader}
	if err := s.Parse(row); err != nil {
		t.Fatal(err)
	}
	names := slices.Clone(s.Schema.DBNames)
	slices.Sort(names)
	return names
}

// containsIndex reports whether a step of a query plan searches or walks an
// index.
func containsIndex(step, index string) bool {
	return strings.Contains(step, "INDEX "+index)
}
